import { UsageError } from '../../errors.js';
import { config } from '../../manifests/zod-mini.js';
import { writeOut } from '../output-streams.js';
import { textOption, type Command } from '../command.js';

/** `gondwana worker SUBMISSION [INDEX]`: what a cluster starts. Its stdout is the log. @throws what runTask throws */
export const worker: Command = async (
  { json, signal, stderr, endsByItself },
  [submission, index],
  options,
) => {
  endsByItself();
  config({ jitless: true }); // a task checks two documents: compiling the checks takes longer than they do
  if (index !== undefined && !/^\d+$/.test(index)) {
    throw new UsageError('TASK_INDEX', `"${index}" is no number of a task.`, {
      hint: 'gondwana worker SUBMISSION INDEX, from 0.',
    });
  }
  const { runTask } = await import('../../studies/run-task.js');
  const result = await runTask({
    submission: submission!,
    index: index === undefined ? undefined : Number(index),
    code: JSON.parse(textOption(options, 'code') ?? '[]') as string[],
    env: process.env,
    signal,
    say: (line) => {
      const text = `${new Date().toISOString()} ${line}\n`;
      if (json) stderr.write(text);
      else writeOut(text);
    },
  });
  return { document: result, text: '', exitCode: result.exitCode };
};
