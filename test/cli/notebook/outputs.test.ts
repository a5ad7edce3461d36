import { describe, expect, it } from 'vitest';
import { newCodeCell, type CodeCell } from '../../../src/cli/notebook/format.js';
import { OutputRecorder, overwrite } from '../../../src/cli/notebook/outputs.js';
import type { IncomingMessage } from '../../../src/kernel/client/client.js';

/** Two cells of one notebook, and how a kernel speaks about each. */
function recorder() {
  const cells = [newCodeCell('a', 'a'), newCodeCell('b', 'b')] as [CodeCell, CodeCell];
  const taken = new OutputRecorder();
  taken.follow('request-0', cells[0]);
  taken.follow('request-1', cells[1]);
  const say = (cell: 0 | 1 | 'other', type: string, content: object): void =>
    taken.take({
      header: { msg_type: type },
      parentHeader: { msg_id: `request-${cell}` },
      content,
    } as unknown as IncomingMessage);
  const print = (cell: 0 | 1, text: string, name = 'stdout'): void => say(cell, 'stream', { name, text });
  return { cells, say, print };
}

const show = (id: string | undefined, text: string): object => ({
  data: { 'text/plain': text },
  metadata: {},
  transient: id === undefined ? {} : { display_id: id },
});

describe('the outputs of a cell', () => {
  it('join what one stream prints in a row, and no other', () => {
    const { cells, print } = recorder();
    print(0, 'one\n');
    print(0, 'two\n');
    print(0, 'warning\n', 'stderr');
    print(0, 'three\n');
    expect(cells[0].outputs).toEqual([
      { output_type: 'stream', name: 'stdout', text: 'one\ntwo\n' },
      { output_type: 'stream', name: 'stderr', text: 'warning\n' },
      { output_type: 'stream', name: 'stdout', text: 'three\n' },
    ]);
  });

  it('hold nothing of `transient`, which the format has no place for', () => {
    const { cells, say } = recorder();
    say(0, 'display_data', show('x', 'one'));
    say(0, 'execute_result', { ...show(undefined, 'two'), execution_count: 7 });
    expect(cells[0].outputs).toEqual([
      { output_type: 'display_data', data: { 'text/plain': 'one' }, metadata: {} },
      { output_type: 'execute_result', data: { 'text/plain': 'two' }, metadata: {}, execution_count: 7 },
    ]);
  });

  it('change everywhere that a display id was shown, also from another cell', () => {
    const { cells, say } = recorder();
    say(0, 'display_data', show('x', 'one'));
    say(0, 'display_data', show('y', 'other'));
    say(1, 'display_data', show('x', 'two'));
    const texts = () =>
      cells.map((cell) => cell.outputs.map((output) => 'data' in output && output.data['text/plain']));
    expect(texts()).toEqual([['two', 'other'], ['two']]);
    say(1, 'update_display_data', show('x', 'three'));
    expect(texts()).toEqual([['three', 'other'], ['three']]);
  });

  it('are cleared at once, or with the next output where the cell asks to wait', () => {
    const { cells, say, print } = recorder();
    print(0, 'first');
    say(0, 'clear_output', { wait: true });
    expect(cells[0].outputs).toHaveLength(1);
    print(0, 'second');
    expect(cells[0].outputs).toEqual([{ output_type: 'stream', name: 'stdout', text: 'second' }]);
    say(0, 'clear_output', { wait: false });
    expect(cells[0].outputs).toEqual([]);
    // a wait that nothing follows leaves the output
    print(0, 'third');
    say(0, 'clear_output', { wait: true });
    expect(cells[0].outputs).toHaveLength(1);
  });

  it('forget the display ids of what was cleared', () => {
    const { cells, say } = recorder();
    say(0, 'display_data', show('x', 'one'));
    say(0, 'clear_output', { wait: false });
    say(1, 'update_display_data', show('x', 'two'));
    expect(cells.flatMap((cell) => cell.outputs)).toEqual([]);
  });

  it('keep errors with their traceback', () => {
    const { cells, say } = recorder();
    say(0, 'error', { ename: 'RangeError', evalue: 'far', traceback: ['RangeError: far', 'at 1'] });
    expect(cells[0].outputs).toEqual([
      { output_type: 'error', ename: 'RangeError', evalue: 'far', traceback: ['RangeError: far', 'at 1'] },
    ]);
  });

  it('are those of the cell that a message belongs to, however late it comes', () => {
    const { cells, say, print } = recorder();
    print(1, 'second');
    print(0, 'late');
    say('other', 'stream', { name: 'stdout', text: 'of nobody' });
    expect(cells.map((cell) => cell.outputs.length)).toEqual([1, 1]);
  });

  it('take the number of the prompt', () => {
    const { cells, say } = recorder();
    say(0, 'execute_input', { code: 'a', execution_count: 12 });
    expect(cells[0].execution_count).toBe(12);
  });

  it('end a stream after 16 MiB and say so, once', () => {
    const { cells, print } = recorder();
    const mebibyte = 'x'.repeat(2 ** 20 - 1) + '\n';
    for (let i = 0; i < 20; i++) print(0, mebibyte);
    const [output] = cells[0].outputs;
    const text = output?.output_type === 'stream' ? output.text : '';
    expect(text.length).toBeLessThan(17 * 2 ** 20);
    expect(text.match(/is not kept/g)).toHaveLength(1);
  });
});

describe('a line that draws over itself', () => {
  it.each([
    ['50 %\r100 %\n', '100 %\n'],
    ['abc\rX\n', 'Xbc\n'],
    ['10 %\r\u001b[2K9 %\n', '9 %\n'],
    ['abd\bc\n', 'abc\n'],
    ['a\r\nb\n', 'a\nb\n'],
    ['kept\nbar 1\rbar 2', 'kept\nbar 2'],
    ['open\r', 'open\r'],
  ])('%j is kept as %j', (printed, kept) => {
    expect(overwrite(printed)).toBe(kept);
  });

  it('is written over by a later text of its stream', () => {
    const { cells, print } = recorder();
    print(0, 'start\n10 %\r');
    print(0, '100 %\r');
    print(0, 'done \n');
    expect(cells[0].outputs).toEqual([{ output_type: 'stream', name: 'stdout', text: 'start\ndone \n' }]);
  });
});
