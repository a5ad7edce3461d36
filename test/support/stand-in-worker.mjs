// Speaks the protocol of the study worker and computes nothing: what each run does stands in its settings.
// settings.act: 'finish' after settings.ms, 'fail', 'die' (kills itself), 'stubborn' (finishes although told to stop)
const waiting = [];
let isStopped = false;
let data;
const send = (message) => process.connected && process.send(message);
const emit = (event) => send({ type: 'event', event });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function handle(message) {
  if (message.type === 'start') {
    data = message.data;
    if (data.versions.broken) {
      send({
        type: 'fatal',
        error: { code: 'ENGINE_BROKEN', message: 'no engine', where: '', hint: '', exitCode: 1 },
      });
      return process.disconnect();
    }
    return send({ type: 'idle' });
  }
  if (message.type !== 'run') return process.disconnect();
  const { run, index, total } = message;
  const { act, ms = 50 } = run.definition.settings;
  emit({ type: 'run-started', run, index, total });
  emit({ type: 'step', run: run.id, phase: 'train', share: 0.1 });
  if (act === 'die') process.kill(process.pid, 'SIGKILL');
  for (let waited = 0; waited < ms; waited += 10) {
    await sleep(10);
    if (isStopped && act !== 'stubborn') {
      send({
        type: 'fatal',
        error: { code: 'STOPPED', message: 'stopped', where: '', hint: '', exitCode: 130 },
      });
      return process.disconnect();
    }
  }
  if (act === 'fail') {
    emit({
      type: 'run-failed',
      run,
      error: { code: 'LOSS_NOT_FINITE', message: 'NaN', where: '', hint: '', exitCode: 1 },
    });
  } else {
    const arm = run.arm;
    emit({ type: 'run-finished', record: { id: run.id, arm, pid: process.pid }, index, total });
  }
  send({ type: 'idle' });
}

process.on('message', (message) => {
  if (message.type === 'stop') {
    isStopped = true;
    return;
  }
  waiting.push(message);
  if (waiting.length === 1) void drain();
});
process.on('disconnect', () => process.exit(0));

async function drain() {
  while (waiting.length > 0) {
    await handle(waiting[0]);
    waiting.shift();
  }
}
