// The side of a bench that is asked: one JSON line in, one out; the first says that it is ready.
import { createInterface } from 'node:readline';

/** @param ready first line */
export async function serve(ready, answer) {
  const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
  say(ready);
  for await (const line of createInterface({ input: process.stdin })) say(await answer(JSON.parse(line)));
}
