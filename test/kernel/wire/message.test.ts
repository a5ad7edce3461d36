import { describe, expect, it } from 'vitest';
import { Framing, MalformedMessage } from '../../../src/kernel/wire/message.js';
import { pack, unpack, type Connection } from '../../support/kernel/wire-format.js';

const connection = { key: 'secret', signature_scheme: 'hmac-sha256' } as Connection;
const framing = new Framing({ key: 'secret', digest: 'sha256' });
const buffers = (frames: readonly (string | Buffer)[]) => frames.map((frame) => Buffer.from(frame));

const message = (extra: object = {}) =>
  pack(connection, { type: 'execute_request', content: { code: '🛰' }, session: 's', ...extra });

/** Why the frames are not taken. */
function reason(frames: readonly Buffer[], by = framing): string {
  try {
    by.decode(frames);
  } catch (error) {
    if (error instanceof MalformedMessage) return error.reason;
    throw error;
  }
  return 'taken';
}

describe('a message that comes in', () => {
  it('is read with identities, header, content and buffers', () => {
    const { id, frames } = message({ buffers: [new Uint8Array([0, 255]), new Uint8Array(0)] });
    const read = framing.decode([Buffer.from('who'), ...buffers(frames)]);
    expect(read.identities).toEqual([Buffer.from('who')]);
    expect(read.header).toMatchObject({ msg_id: id, msg_type: 'execute_request' });
    expect(read.content).toEqual({ code: '🛰' });
    expect(read.buffers).toEqual([Buffer.from([0, 255]), Buffer.alloc(0)]);
  });

  it('is refused with a signature of another key, a shorter or a missing one', () => {
    const frames = buffers(
      pack({ ...connection, key: 'guess' }, { type: 't', content: {}, session: '' }).frames,
    );
    expect(reason(frames)).toMatch(/wrong signature/);
    expect(reason([frames[0]!, Buffer.from('abc'), ...frames.slice(2)])).toMatch(/wrong signature/);
    expect(reason([frames[0]!, Buffer.alloc(0), ...frames.slice(2)])).toMatch(/wrong signature/);
  });

  it('is refused when a part was changed on the way', () => {
    const frames = buffers(message().frames);
    frames[5] = Buffer.from('{"code":"other"}');
    expect(reason(frames)).toMatch(/wrong signature/);
  });

  it('is refused the second time', () => {
    const frames = buffers(message().frames);
    expect(reason(frames)).toBe('taken');
    expect(reason(frames)).toMatch(/used before/);
  });

  it('is refused without delimiter, with too few parts, or with parts that are no JSON objects', () => {
    const open = new Framing({ key: '', digest: 'sha256' });
    const frames = (...parts: string[]) => buffers(['<IDS|MSG>', '', ...parts]);
    const header = '{"msg_id":"1","msg_type":"t"}';
    expect(reason([], open)).toMatch(/no delimiter/);
    expect(reason(buffers(['a', 'b']), open)).toMatch(/no delimiter/);
    expect(reason(buffers(['<IDS|MSG>']), open)).toMatch(/0 frames instead of 5/);
    expect(reason(frames(header, '{}', '{}'), open)).toMatch(/4 frames instead of 5/);
    expect(reason(frames('{', '{}', '{}', '{}'), open)).toBe('header is not JSON');
    expect(reason(frames(header, '{}', '{}', '[1]'), open)).toBe('content is no JSON object');
    expect(reason(frames(header, 'null', '{}', '{}'), open)).toBe('parent_header is no JSON object');
    expect(reason(frames('{"msg_type":"t"}', '{}', '{}', '{}'), open)).toBe('header.msg_id is no text');
    expect(reason(frames('{"msg_id":"1","msg_type":5}', '{}', '{}', '{}'), open)).toBe(
      'header.msg_type is no text',
    );
    expect(reason(frames(header, '{}', '{}', '{}'), open)).toBe('taken');
  });
});

describe('a message that goes out', () => {
  it('is read by a client with the same key, buffers as they are', () => {
    const part = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
    const frames = framing.encode({
      identities: ['topic'],
      type: 'comm_msg',
      content: { comm_id: 'c' },
      metadata: { m: 1 },
      parent: { msg_id: 'p' },
      buffers: [part],
    });
    const read = unpack(connection, buffers(frames));
    expect(read).toMatchObject({
      topic: 'topic',
      type: 'comm_msg',
      content: { comm_id: 'c' },
      metadata: { m: 1 },
    });
    expect(read.parent).toEqual({ msg_id: 'p' });
    expect(read.header).toMatchObject({ session: framing.session, version: '5.5' });
    expect(Date.parse(read.header.date!)).toBeGreaterThan(Date.now() - 60_000);
    expect(read.buffers).toEqual([Buffer.from([2, 3])]);
  });

  it('carries no signature where the key is empty', () => {
    const frames = new Framing({ key: '', digest: 'sha256' }).encode({
      identities: [],
      type: 't',
      content: {},
    });
    expect(frames[1]).toBe('');
  });
});
