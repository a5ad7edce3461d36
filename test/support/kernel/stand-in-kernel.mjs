// A kernel for tests of the wire layer: the real wire thread, and JavaScript as the language of the cells.
// usage: node stand-in-kernel.mjs CONNECTION_FILE [memory limit in MB]
// In cells: print(text), printError(text), publish(kind, content), input(prompt), sleep(ms); a returned value is the result.
// `complete` answers the code and position it got; it does so after `slow:N` ms where the code starts with that.
import { inspect } from 'node:util';
import vm from 'node:vm';
import { MessageChannel, Worker } from 'node:worker_threads';
import { startWireThread } from '../../../dist/kernel/wire/wire-client.js';

const language = new MessageChannel();
new Worker(
  `const { workerData: { port } } = require('node:worker_threads');
   port.on('message', ({ n, kind, code, position, source }) => {
     const answers = {
       complete: () => ({ start: Math.max(0, position - 1), end: position, matches: [code.slice(0, position)], types: ['text'] }),
       inspect: () => code === 'nothing' ? undefined : ({ text: position + ' ' + source, markdown: '**' + code + '**' }),
       'is-complete': () => code.endsWith('{') ? { status: 'incomplete', indent: '  ' } : { status: 'complete' },
     };
     const slow = /^slow:(\\d+)/.exec(code);
     setTimeout(() => port.postMessage({ n, answer: answers[kind]() }), slow ? Number(slow[1]) : 0);
   });`,
  { eval: true, workerData: { port: language.port2 }, transferList: [language.port2] },
);

const limitMb = Number(process.argv[3]);
const inputs = new Map();
let inputCount = 0;
let current;
let stop = () => {};
const abandoned = new Set();

const tell = (error) => {
  console.error(`${error.code}: ${error.message}\n${error.where}\n${error.hint}`);
  process.exit(error.exitCode);
};

const wire = start();

function start() {
  try {
    const memory = limitMb > 0 && { memoryLimitBytes: limitMb * 2 ** 20 };
    const about = { banner: 'Stand-in', version: '0.0.0', languageVersion: '5.9.3' };
    const connectionFile = process.argv[2] ?? '';
    return startWireThread({ connectionFile, language: language.port1, ...about, ...memory }, receive);
  } catch (error) {
    return tell(error);
  }
}

Object.assign(globalThis, {
  print: (text) => wire.send({ type: 'stream', name: 'stdout', text, parent: current }),
  printError: (text) => wire.send({ type: 'stream', name: 'stderr', text, parent: current }),
  publish: (kind, content, extra = {}) =>
    wire.send({ type: 'publish', kind, content, parent: current, ...extra }),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  input: (prompt, password = false) =>
    new Promise((resolve) => {
      const n = ++inputCount;
      inputs.set(n, resolve);
      wire.send({ type: 'input', n, prompt, password, parent: current });
    }),
  load: (name) => import(name),
});

async function run({ id, code, count, silent, userExpressions, allowStdin, cellId }) {
  current = id;
  globalThis.request = { count, silent, allowStdin, cellId };
  let result;
  try {
    const interrupted = new Promise((_, reject) => {
      stop = () => reject(Object.assign(new Error('stopped'), { name: 'KeyboardInterrupt' }));
    });
    interrupted.catch(() => {});
    const work = vm.runInThisContext(`(async () => {${code}\n})()`);
    work.catch(() => {});
    const value = await Promise.race([work, interrupted]);
    if (value !== undefined && !silent) {
      const data = { 'text/plain': inspect(value) };
      publish('execute_result', { data, metadata: {}, execution_count: count });
    }
    const expressions = Object.entries(userExpressions).map(([name, text]) => [
      name,
      { status: 'ok', data: { 'text/plain': inspect(vm.runInThisContext(text)) }, metadata: {} },
    ]);
    result = { status: 'ok', payload: [], userExpressions: Object.fromEntries(expressions) };
  } catch (error) {
    const ename = error?.name ?? 'Error';
    const evalue = String(error?.message ?? error);
    result = { status: 'error', ename, evalue, traceback: [`${ename}: ${evalue}`] };
  }
  if (!abandoned.has(id)) wire.send({ type: 'done', id, result });
}

function receive(message) {
  switch (message.type) {
    case 'execute':
      return void run(message);
    case 'interrupt':
      return message.id === current && stop();
    case 'ping':
      if (message.abandon) abandoned.add(message.abandon);
      return wire.send({ type: 'pong', n: message.n });
    case 'input-reply':
      inputs.get(message.n)?.(message.value);
      return;
    case 'comm-info':
      return wire.send({
        type: 'comm-info',
        n: message.n,
        comms: { c1: { target_name: message.target ?? 'any' } },
      });
    case 'comm':
      // an echo, as a widget would
      return wire.send({
        type: 'publish',
        kind: 'comm_msg',
        content: {
          comm_id: message.content.comm_id,
          data: { kind: message.kind, got: message.content.data },
        },
        metadata: message.metadata,
        buffers: message.buffers,
        parent: message.parent,
      });
    case 'exit':
      return process.exit(0);
  }
}

wire.bound.then(() => wire.send({ type: 'ready' }), tell);
