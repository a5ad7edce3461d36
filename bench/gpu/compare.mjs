// Compares what bench/gpu/steps.mjs wrote: processor, GPU, GPU in bfloat16. Writes bench/results/gpu.json and, where all checks pass,
// the device's name into the engine's manifest, which `gondwana doctor` shows; exit code 1 where one fails.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../tools/lib/process.mjs';
import { saveResult, round } from '../../tools/lib/bench-peer.mjs';

/** Largest difference of a loss in 20 steps: float32 sums in another order. */
const LOSS_LIMIT = 1e-3;

const [cpu, gpu, bf16] = process.argv
  .slice(2, 5)
  .map((file) => JSON.parse(readFileSync(file, 'utf8').trim().split('\n').at(-1)));
const difference = Math.max(...cpu.losses.map((loss, step) => Math.abs(loss - gpu.losses[step])));
const checks = [
  [`largest difference of losses ${difference.toExponential(1)} (${LOSS_LIMIT})`, difference <= LOSS_LIMIT],
  ...[gpu, bf16].map(({ precision, tensors: [first, last] }) => [
    `tensors in ${precision}: ${first} after step 1, ${last} at the end`,
    last <= first,
  ]),
];
for (const [text, isGood] of checks) process.stdout.write(`${isGood ? 'ok    ' : 'FAILED'} ${text}\n`);
for (const { engine, precision, secondsPerStep } of [cpu, gpu, bf16])
  process.stdout.write(`${engine.device}, ${precision}: ${round(secondsPerStep)} s a step\n`);
const isVerified = checks.every(([, isGood]) => isGood);
saveResult('gpu', { isVerified, difference, runs: [cpu, gpu, bf16] });
if (isVerified) {
  const file = path.join(root, 'data-manifests/engine/tensorflow.json');
  const manifest = { ...JSON.parse(readFileSync(file, 'utf8')), gpuVerifiedOn: gpu.engine.device };
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
process.exitCode = isVerified ? 0 : 1;
