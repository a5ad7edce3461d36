import { expect, it } from 'vitest';
import type { ToWire } from '../../../src/kernel/protocol.js';
import { createUserInput } from '../../../src/kernel/runtime/user-input.js';

function questions(allowStdin = true) {
  const sent: string[] = [];
  const post = (message: ToWire): void => void (message.type === 'input' && sent.push(message.prompt));
  const userInput = createUserInput({ post }, () => ({ parent: 'cell', allowStdin }));
  return { sent, userInput };
}

it('questions asked at once are put one after the other', async () => {
  const { sent, userInput } = questions();
  const answers = Promise.all(['a', 'b', 'c'].map((prompt) => userInput.ask(prompt, false)));
  await Promise.resolve();
  expect(sent).toEqual(['a']);
  userInput.answer(2, 'too early');
  userInput.answer(1, 'A');
  expect(sent).toEqual(['a', 'b']);
  userInput.answer(2, 'B');
  userInput.answer(3, 'C');
  userInput.answer(3, 'nobody waits');
  expect(await answers).toEqual(['A', 'B', 'C']);
});

it('a stop and the end of the cell reject what waits, and nothing of it is put to the next cell', async () => {
  const { sent, userInput } = questions();
  const stopped = ['a', 'b'].map((prompt) => userInput.ask(prompt, false));
  userInput.stop();
  for (const answer of stopped) await expect(answer).rejects.toMatchObject({ code: 'STOPPED' });
  const left = userInput.ask('left', false);
  userInput.end();
  await expect(left).rejects.toMatchObject({ code: 'NO_STDIN', hint: 'Write `await` before `input`.' });
  const next = userInput.ask('next', true);
  expect(sent).toEqual(['a', 'left', 'next']);
  userInput.answer(4, 'answer');
  expect(await next).toBe('answer');
});

it('a front end without a field to type in is told at once', async () => {
  const { sent, userInput } = questions(false);
  await expect(userInput.ask('name', false)).rejects.toMatchObject({ code: 'NO_STDIN' });
  expect(sent).toEqual([]);
});
