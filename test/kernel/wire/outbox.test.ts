import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Outbox } from '../../../src/kernel/wire/outbox.js';

describe('an outbox', () => {
  it('sends one message after the other, in order, never two at once', async () => {
    const sent: string[] = [];
    let inFlight = 0;
    const outbox = new Outbox(
      {
        async send([text]) {
          if (++inFlight > 1) throw new Error('EBUSY');
          await sleep(Number(text) % 3);
          sent.push(String(text));
          inFlight--;
        },
      },
      (error) => sent.push(error.message),
    );
    const all = Array.from({ length: 30 }, (_, i) => String(i));
    all.slice(0, 10).forEach((text) => outbox.send([text]));
    await sleep(5);
    all.slice(10).forEach((text) => outbox.send([text]));
    await outbox.sent();
    expect(sent).toEqual(all);
  });

  it('tells of a message that cannot be sent and goes on', async () => {
    const sent: string[] = [];
    const errors: string[] = [];
    const outbox = new Outbox(
      {
        send: ([text]) =>
          text === 'b'
            ? Promise.reject(new Error('no route'))
            : Promise.resolve(void sent.push(String(text))),
      },
      (error) => errors.push(error.message),
    );
    const over: string[] = [];
    ['a', 'b', 'c'].forEach((text) => outbox.send([text], () => over.push(text)));
    await outbox.sent();
    expect(sent).toEqual(['a', 'c']);
    expect(over).toEqual(['a', 'b', 'c']);
    expect(errors).toEqual(['no route']);
    await outbox.sent();
  });
});
