import { PickleFault } from './pickle-input.js';
import type { PickleInstruction, PickleMachine } from './pickle-machine.js';
import * as read from './pickle-numbers.js';
import { PickleTuple } from './pickle-values.js';

type Row = readonly [opcode: number, instruction: PickleInstruction];

const constants: readonly Row[] = [
  [0x4e, (m) => m.push(null)],
  [0x88, (m) => m.push(true)],
  [0x89, (m) => m.push(false)],
  [0x49, (m) => m.push(read.parseIntText(m.input.line()))],
  [0x4c, (m) => m.push(read.parseLongText(m.input.line()))],
  [0x46, (m) => m.push(read.parseFloatText(m.input.line()))],
  [0x4a, (m) => m.push(read.readUnsigned(m.input, 4) | 0)], // signed, 32 bit
  [0x4b, (m) => m.push(m.input.byte())],
  [0x4d, (m) => m.push(read.readUnsigned(m.input, 2))],
  [0x8a, (m) => m.push(read.decodeLong(m.input.bytes(m.input.byte())))],
  [0x8b, (m) => m.push(read.decodeLong(m.input.bytes(read.readUnsigned(m.input, 4))))],
  [0x47, (m) => m.push(read.readFloat64(m.input))],
];

const texts: readonly Row[] = [
  [0x53, (m) => m.push(read.decodeQuotedText(m.input.line()))],
  [0x54, (m) => m.push(read.decodeBinaryText(m.input.bytes(read.readUnsigned(m.input, 4))))],
  [0x55, (m) => m.push(read.decodeBinaryText(m.input.bytes(m.input.byte())))],
  [0x56, (m) => m.push(read.decodeRawUnicode(m.input.line()))],
  [0x58, (m) => m.push(read.decodeUtf8(m.input.bytes(read.readUnsigned(m.input, 4))))],
  [0x8c, (m) => m.push(read.decodeUtf8(m.input.bytes(m.input.byte())))],
  [0x8d, (m) => m.push(read.decodeUtf8(m.input.bytes(read.readUnsigned(m.input, 8))))],
  [0x42, (m) => m.push(m.input.bytes(read.readUnsigned(m.input, 4)).slice())],
  [0x43, (m) => m.push(m.input.bytes(m.input.byte()).slice())],
  [0x8e, (m) => m.push(m.input.bytes(read.readUnsigned(m.input, 8)).slice())],
  [0x96, (m) => m.push(m.input.bytes(read.readUnsigned(m.input, 8)).slice())],
];

const containers: readonly Row[] = [
  [0x5d, (m) => m.push(m.made([]))],
  [0x7d, (m) => m.push(m.made(new Map()))],
  [0x8f, (m) => m.push(m.made(new Set()))],
  [0x29, (m) => m.push(m.made(new PickleTuple([])))],
  [0x85, (m) => m.tuple(1)],
  [0x86, (m) => m.tuple(2)],
  [0x87, (m) => m.tuple(3)],
  [0x74, (m) => m.push(m.made(new PickleTuple(m.popMark())))],
  [0x6c, (m) => m.push(m.made(m.popMark()))],
  [0x64, (m) => m.dict()],
  [0x91, (m) => m.push(m.made(new Set(m.popMark())))],
  [0x61, (m) => m.append([m.pop()])],
  [0x65, (m) => m.append(m.popMark())],
  [0x73, setItem],
  [0x75, (m) => m.setItems(m.popMark())],
  [0x90, (m) => m.addItems(m.popMark())],
];

const stackAndMemo: readonly Row[] = [
  [0x28, (m) => m.mark()],
  [0x30, (m) => m.drop()],
  [0x31, (m) => void m.popMark()],
  [0x32, (m) => m.push(m.top())],
  [0x70, (m) => m.remember(Number(read.parseIntText(m.input.line())))],
  [0x71, (m) => m.remember(m.input.byte())],
  [0x72, (m) => m.remember(read.readUnsigned(m.input, 4))],
  [0x94, (m) => m.remember(m.memo.size)],
  [0x67, (m) => m.recall(Number(read.parseIntText(m.input.line())))],
  [0x68, (m) => m.recall(m.input.byte())],
  [0x6a, (m) => m.recall(read.readUnsigned(m.input, 4))],
];

const names: readonly Row[] = [
  [0x63, (m) => m.push(m.global(textLine(m), textLine(m)))],
  [0x93, (m) => m.stackGlobal()],
  [0x52, call],
  [0x81, call],
  [0x92, callWithKeywords],
  [0x69, (m) => m.push(m.call(m.global(textLine(m), textLine(m)), m.popMark()))],
  [0x6f, callMarked],
  [0x62, build],
  [0x50, (m) => m.push(m.persistent(textLine(m)))],
  [0x51, (m) => m.push(m.persistent(m.pop()))],
];

const framing: readonly Row[] = [
  [0x80, (m) => m.protocol(m.input.byte())],
  [0x95, (m) => m.frame(read.readUnsigned(m.input, 8))],
  [0x97, () => unsupported('it refers to buffers that were sent beside it')],
  [0x98, () => unsupported('it refers to buffers that were sent beside it')],
  ...[0x82, 0x83, 0x84].map((opcode): Row => [
    opcode,
    () => unsupported('it names a class by a private number'),
  ]),
];

/** What each opcode of protocols 0 to 5 does, by its number; STOP is not among them. */
export const pickleInstructions: readonly (PickleInstruction | undefined)[] = byNumber([
  ...[constants, texts, containers, stackAndMemo, names, framing].flat(),
]);

function byNumber(rows: readonly Row[]): (PickleInstruction | undefined)[] {
  const table = new Array<PickleInstruction | undefined>(256).fill(undefined);
  for (const [opcode, instruction] of rows) table[opcode] = instruction;
  return table;
}

const textLine = (m: PickleMachine): string => read.decodeText(m.input.line());

function setItem(m: PickleMachine): void {
  const value = m.pop();
  m.setItems([m.pop(), value]);
}

function call(m: PickleMachine): void {
  const args = m.popArgs();
  m.push(m.call(m.pop(), args));
}

function callWithKeywords(m: PickleMachine): void {
  const keywords = m.pop();
  const args = m.popArgs();
  const isEmpty = keywords instanceof Map && keywords.size === 0;
  m.push(m.call(m.pop(), isEmpty ? args : [...args, keywords]));
}

function callMarked(m: PickleMachine): void {
  const [type, ...args] = m.popMark();
  m.push(m.call(type ?? null, args));
}

function build(m: PickleMachine): void {
  const state = m.pop();
  m.build(m.top(), state);
}

function unsupported(message: string): never {
  throw new PickleFault(message, 'PICKLE_UNSUPPORTED');
}
