import path from 'node:path';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { MessageChannel } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineNames } from '../../src/kernel/cell-engine.js';
import { startLanguageThread, type LanguageThread } from '../../src/kernel/language-client.js';
import type { LanguageAnswer, LanguageQuestion } from '../../src/kernel/protocol.js';
import { createNotebookFolder } from './cells/run-sequences.js';

describe.each(engineNames)('the language thread of the engine %s', (engine) => {
  const { port1: wire, port2 } = new MessageChannel();
  let folder: string;
  let thread: LanguageThread;

  beforeAll(() => {
    folder = createNotebookFolder();
    const globals = path.join(folder, 'globals.d.ts');
    thread = startLanguageThread(
      engine,
      { folder, projectRoot: folder, strictness: 'loose', globals },
      port2,
    );
  });
  afterAll(async () => {
    await thread.close();
    wire.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(question: LanguageQuestion): Promise<LanguageAnswer> {
    wire.postMessage(question);
    const [answer] = (await once(wire, 'message')) as [LanguageAnswer];
    return answer;
  }

  test('cells are converted and committed in order', async () => {
    const first = await thread.convert({ id: 'a', count: 1, code: 'const reading = { value: 3 };' });
    expect(first).toMatchObject({ id: 'a', diagnostics: [] });
    thread.commit('a', false);
    const second = await thread.convert({ id: 'b', count: 2, code: 'reading.value.trim()' });
    expect(second.diagnostics).toMatchObject([{ severity: 'error', code: 2339, line: 1, column: 15 }]);
  }, 60_000);

  test('the wire thread is answered over its own port', async () => {
    const completion = await ask({ n: 5, kind: 'complete', code: 'reading.val', position: 11 });
    expect(completion).toMatchObject({ n: 5, answer: { start: 8, end: 11, matches: ['value'] } });
    const inspection = await ask({ n: 6, kind: 'inspect', code: 'console.log', position: 11, source: false });
    expect(inspection.answer).toMatchObject({ text: expect.stringContaining('log') as string });
    expect(await ask({ n: 7, kind: 'is-complete', code: 'f(' })).toMatchObject({
      n: 7,
      answer: { status: 'incomplete' },
    });
  }, 60_000);

  test.each([
    ['%who', 'complete'],
    ['!ls -la {', 'complete'],
    ['Math.max?', 'complete'],
    ['%nonsense', 'complete'],
    ['%time f(', 'incomplete'],
    ['!ls\nif (a) {', 'incomplete'],
  ])('a console that asks about %j is told that it is %s', async (code, status) => {
    expect(await ask({ n: 9, kind: 'is-complete', code })).toMatchObject({ n: 9, answer: { status } });
  });

  test('a question without an answer is answered all the same', async () => {
    expect(await ask({ n: 8, kind: 'complete', code: 'reading.zzz', position: 11 })).toEqual({
      n: 8,
      answer: undefined,
    });
  });

  test('strictness and reset take effect before the next conversion', async () => {
    thread.setStrictness('strict');
    const strict = await thread.convert({ id: 'c', count: 3, code: 'const s: string = null;' });
    expect(strict.diagnostics).toMatchObject([{ code: 2322 }]);
    thread.reset();
    const forgotten = await thread.convert({ id: 'd', count: 4, code: 'reading' });
    expect(forgotten.diagnostics).toMatchObject([{ code: 2304 }]);
  });

  test('a thread that ended rejects what is asked of it', async () => {
    const waiting = thread.inspect('console.log', 11, false).catch((error: unknown) => error);
    await thread.close();
    expect(await waiting).toMatchObject({ code: 'LANGUAGE_THREAD' });
    await expect(thread.convert({ id: 'e', count: 5, code: '1' })).rejects.toMatchObject({
      code: 'LANGUAGE_THREAD',
    });
  });
});
