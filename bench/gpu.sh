#!/usr/bin/env bash
# Checks the GPU engine in under five minutes: 20 fine-tuning steps of ViT-S/16 on the processor and on the GPU. The losses may
# differ by 1e-3, the count of tensors must not grow; seconds a step are printed in float32 and bfloat16.
# Needs an NVIDIA driver and `npx gondwana engine install --gpu`. Exit code 0: verified; 1: a check failed; 2: no GPU engine.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
node tools/build.mjs >&2
if ! GONDWANA_ENGINE=native-gpu node bench/gpu/steps.mjs float32 1 >/dev/null 2>&1; then
  echo 'There is no GPU engine here: npx gondwana engine install --gpu' >&2
  exit 2
fi
GONDWANA_ENGINE=native-cpu node bench/gpu/steps.mjs float32 >"$folder/cpu.json"
GONDWANA_ENGINE=native-gpu node bench/gpu/steps.mjs float32 >"$folder/gpu.json"
GONDWANA_ENGINE=native-gpu node bench/gpu/steps.mjs bfloat16 >"$folder/bf16.json"
node bench/gpu/compare.mjs "$folder/cpu.json" "$folder/gpu.json" "$folder/bf16.json"
