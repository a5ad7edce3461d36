#!/usr/bin/env bash
# Kills `gondwana run studies/smoke.ts` at random moments and looks at what is left. usage: bench/kill.sh [KILLS] (default: 100)
# Afterwards every finished record is there and unchanged, none twice, nothing half-written, and `resume` completes the study.
set -euo pipefail
cd "$(dirname "$0")/.."
exec node bench/kill/kill.mjs "${1:-100}"
