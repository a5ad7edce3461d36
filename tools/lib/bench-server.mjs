import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { root } from './process.mjs';

/** A process that answers one JSON line for each it gets; its first line says that it is ready. */
export function startServer(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${command} ${args[0]} ended before it answered`);
    return JSON.parse(value);
  };
  return {
    ready: next(),
    ask: (question) => {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      return next();
    },
    stop: () => child.kill(),
  };
}
