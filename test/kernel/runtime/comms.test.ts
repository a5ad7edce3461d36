import { describe, expect, it } from 'vitest';
import type { CommMessage, Content, ToWire } from '../../../src/kernel/protocol.js';
import { createComms } from '../../../src/kernel/runtime/comms.js';
import { createWidgets } from '../../../src/kernel/runtime/widget.js';

type Published = Extract<ToWire, { type: 'publish' }>;

function setUp() {
  const sent: Published[] = [];
  const comms = createComms({ post: (message) => void sent.push(message as Published) }, () => 'request-1');
  const receive = (kind: CommMessage['kind'], content: Content, buffers: Uint8Array[] = []): void =>
    comms.receive({ type: 'comm', kind, content, metadata: {}, buffers, parent: 'x' });
  return { sent, comms, receive };
}

describe('comms', () => {
  it('open, send with buffers, receive and close', () => {
    const { sent, comms, receive } = setUp();
    const comm = comms.open('map', { zoom: 3 }, { metadata: { version: '1' } });
    const got: unknown[] = [];
    comm.onMessage = ({ data, buffers }) => got.push(data, buffers[0]?.[0]);
    receive('comm_msg', { comm_id: comm.id, data: { a: 1 } }, [Uint8Array.of(7)]);
    comm.send({ b: 2 }, { buffers: [new Uint8Array([1, 2, 3, 4]).subarray(1, 3)] });
    expect(got).toEqual([{ a: 1 }, 7]);
    expect(comms.info('map')).toEqual({ [comm.id]: { target_name: 'map' } });
    expect(comms.info('other')).toEqual({});
    comm.close();
    comm.send({ late: true });
    expect(sent.map(({ kind }) => kind)).toEqual(['comm_open', 'comm_msg', 'comm_close']);
    expect(sent[0]).toMatchObject({ metadata: { version: '1' }, parent: 'request-1' });
    expect([...sent[1]!.buffers![0]!]).toEqual([2, 3]);
    expect(sent[1]!.buffers![0]!.buffer.byteLength).toBe(2); // not the four bytes it was a view of
  });

  it('are closed at once where the front end names a target that nobody registered', () => {
    const { sent, receive } = setUp();
    receive('comm_open', { comm_id: 'c9', target_name: 'nobody', data: {} });
    expect(sent).toMatchObject([{ kind: 'comm_close', content: { comm_id: 'c9' } }]);
  });

  it('reach the function registered for their target', () => {
    const { comms, receive } = setUp();
    const opened: unknown[] = [];
    comms.register('mine', (comm, { data }) => opened.push(comm.id, data));
    receive('comm_open', { comm_id: 'c1', target_name: 'mine', data: { hello: 1 } });
    expect(opened).toEqual(['c1', { hello: 1 }]);
  });
});

describe('a widget', () => {
  const esm = 'export default { render() {} }';

  it('opens an anywidget model, takes changes of views and sends its own', () => {
    const { sent, comms, receive } = setUp();
    const widget = createWidgets(comms)({ esm, css: 'b {}', state: { value: 3 } });
    expect(sent[0]!.metadata).toEqual({ version: '2.1.0' });
    expect(sent[0]!.content).toMatchObject({
      target_name: 'jupyter.widget',
      data: { state: { _model_module: 'anywidget', _esm: esm, _css: 'b {}', value: 3 }, buffer_paths: [] },
    });
    const seen: unknown[] = [];
    const stop = widget.onChange('value', (value) => seen.push(value));
    const update = (value: number): void =>
      receive('comm_msg', {
        comm_id: widget.id,
        data: { method: 'update', state: { value }, buffer_paths: [] },
      });
    update(4);
    stop();
    update(5);
    expect([seen, widget.get('value')]).toEqual([[4], 5]);
    widget.set('value', 9);
    expect(sent.at(-1)!.content).toMatchObject({ data: { method: 'update', state: { value: 9 } } });
  });

  it('sends bytes beside the state, and answers a front end that was loaded anew', () => {
    const { sent, comms, receive } = setUp();
    const widget = createWidgets(comms)({
      esm,
      state: { image: Uint8Array.of(1, 2), list: [1, Uint8Array.of(3)], none: null },
    });
    const { data } = sent[0]!.content as { data: { state: Content; buffer_paths: unknown } };
    expect(data.buffer_paths).toEqual([['image'], ['list', 1]]);
    expect(data.state).not.toHaveProperty('image');
    expect(data.state).toMatchObject({ list: [1, null], none: null });
    expect(sent[0]!.buffers!.map((bytes) => [...bytes])).toEqual([[1, 2], [3]]);

    receive('comm_msg', { comm_id: widget.id, data: { method: 'request_state' } });
    expect(sent.at(-1)!.content).toMatchObject({ data: { method: 'update', state: { _esm: esm } } });
    receive('comm_open', { comm_id: 'control', target_name: 'jupyter.widget.control', data: {} });
    receive('comm_msg', { comm_id: 'control', data: { method: 'request_states' } });
    expect(sent.at(-1)!.content).toMatchObject({
      data: {
        method: 'update_states',
        states: { [widget.id]: { model_name: 'AnyModel', state: { none: null } } },
        buffer_paths: [
          [widget.id, 'state', 'image'],
          [widget.id, 'state', 'list', 1],
        ],
      },
    });
  });

  it('puts bytes that a view sends into their places', () => {
    const { comms, receive } = setUp();
    const widget = createWidgets(comms)({ esm, state: { mask: null } });
    receive(
      'comm_msg',
      { comm_id: widget.id, data: { method: 'update', state: {}, buffer_paths: [['mask']] } },
      [Uint8Array.of(8, 9)],
    );
    expect([...(widget.get('mask') as Uint8Array)]).toEqual([8, 9]);
  });

  it('passes over updates that are none, and bytes whose place leads nowhere or out of the state', () => {
    const { comms, receive } = setUp();
    const widget = createWidgets(comms)({ esm, state: { mask: 1, list: [0] } });
    const bytes = Array.from({ length: 8 }, () => Uint8Array.of(7));
    const paths = [['__proto__', 'polluted'], ['constructor', 'x'], ['a', 'b', 'c'], [], 5, [null], ['mask']];
    const updates: unknown[] = [
      { state: {}, buffer_paths: paths },
      { state: 5 },
      { buffer_paths: 5 },
      { state: { list: [0, 1] }, buffer_paths: [['list', 0], ['list', 'x', 'y'], ['late']].slice(0, 2) },
    ];
    for (const update of updates) {
      receive('comm_msg', { comm_id: widget.id, data: { method: 'update', ...(update as object) } }, bytes);
    }
    receive('comm_msg', { comm_id: widget.id, data: null as unknown as Content });
    expect('polluted' in {}).toBe(false);
    expect([widget.get('mask'), widget.get('list')]).toEqual([bytes[6], [bytes[0], 1]]);
  });

  it('refuses names of the protocol in its state', () => {
    const { comms } = setUp();
    expect(() => createWidgets(comms)({ esm, state: { _esm: 'x' } })).toThrow(
      expect.objectContaining({ code: 'WIDGET_STATE' }),
    );
  });
});
