#!/usr/bin/env bash
# npm run build && npm run accept:gpu: ten checks of a host with NVIDIA GPUs, in at most ten minutes, as a table.
# Exits with 0 if none failed, 1 if one did, 3 if this host has no GPU. Needs Docker; check 10 needs root.
# BENCH_ACCEPT_IMAGE names an image with glibc for the checks of Docker alone (default: python:3.11-slim).
set -uo pipefail

ROOT=$(cd "$(dirname "$0")/../.." && pwd)
IMAGE=${BENCH_ACCEPT_IMAGE:-python:3.11-slim}
ENDS_AT=$((SECONDS + 600))
ROWS=()
FAILED=0

# row <number> <check> <ok|FAILED|skipped> <what was seen>
row() {
  ROWS+=("$(printf '%2s  %-34s %-8s %s' "$1" "$2" "$3" "$(tr '\n' ' ' <<<"$4" | cut -c1-160)")")
  [[ $3 == FAILED ]] && FAILED=1
  echo "${ROWS[-1]}" >&2
}

# check <number> <name> <function>: its output is what was seen; it returns 0, 1 (failed) or 2 (skipped).
check() {
  local seen state left=$((ENDS_AT - SECONDS))
  if ((left <= 0)); then row "$1" "$2" FAILED "no time left: the checks before took ten minutes" && return; fi
  seen=$("$3" 2>&1)
  case $? in 0) state=ok ;; 2) state=skipped ;; *) state=FAILED ;; esac
  row "$1" "$2" "$state" "${seen:-nothing was printed}"
}

within() { timeout $((ENDS_AT > SECONDS ? ENDS_AT - SECONDS : 1)) "$@"; }
bench() { within env BENCH_HOME="$HOME_DIR" NO_COLOR=1 node "$ROOT/dist/cli/main.js" "$@"; }
# One value of one SELECT.
value() {
  bench sql "$1" --json 2>/dev/null |
    python3 -c 'import json, sys; rows = json.load(sys.stdin)["rows"]; print(rows[0][0] if rows and rows[0][0] is not None else "")'
}
# recording <file> <command>...: a recording that runs these commands, then submits.
recording() {
  python3 - "$@" submit <<'PYTHON'
import json, sys
steps = [
    {"step": n, "response": f"check\n```\n{action}\n```", "thought": "check", "action": action, "observation": ""}
    for n, action in enumerate(sys.argv[2:], 1)
]
with open(sys.argv[1], "w") as file:
    json.dump({"steps": steps}, file)
PYTHON
}
# play <recording> <task> <attempts>: prints the batch; its runs have ended, or not within the time.
play() {
  bench submit --models "replay:$1" --tasks "$2" --attempts "$3" --gpus-per-run 1 --backend docker --wait --json 2>"$HOME_DIR/submit.log" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["batchId"])' || tail -3 "$HOME_DIR/submit.log" >&2
}
printed() { value "select string_agg(observation, ' ' order by run_id, step) from steps where step = $2 and run_id in (select run_id from runs where batch_id = '$1')"; }
used_mb() { nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | awk '{ sum += $1 } END { print sum }'; }

driver() { nvidia-smi --query-gpu=driver_version,name --format=csv,noheader | sort | uniq -c; }

toolkit() {
  local found
  found=$(nvidia-ctk --version 2>/dev/null | head -1) || found=$(nvidia-container-cli --version 2>/dev/null | head -1)
  [[ -n $found ]] || { echo "neither nvidia-ctk nor nvidia-container-cli: install NVIDIA's container toolkit" && return 1; }
  docker info --format '{{.ServerVersion}}' >/dev/null || { echo "Docker does not answer" && return 1; }
  echo "$found; Docker $(docker info --format '{{.ServerVersion}}, control groups by {{.CgroupDriver}}')"
}

run_with_gpus() { within docker run --rm --network none --gpus all "$IMAGE" nvidia-smi -L | grep -c UUID | sed 's/$/ devices in the container/'; }

device_inside() {
  local first seen
  first=$(devices | head -1)
  seen=$(within docker run --rm --network none --gpus "\"device=$first\"" "$IMAGE" nvidia-smi -L) || { echo "$seen" && return 1; }
  [[ $first == MIG-* || $(grep -c '^GPU' <<<"$seen") == 1 ]] && grep -q "$first" <<<"$seen" || { echo "asked for $first, saw: $seen" && return 1; }
  echo "$first alone"
}

# What bench should lease: whole GPUs, and in place of partitioned ones their instances.
devices() {
  nvidia-smi --query-gpu=uuid,mig.mode.current --format=csv,noheader | awk -F', ' '$2 != "Enabled" { print $1 }'
  nvidia-smi -L | sed -n 's/^ *MIG .*UUID: \(MIG-[^)]*\)).*/\1/p'
}

mig_listing() {
  local listed expected instances
  bench up >/dev/null 2>"$HOME_DIR/up.log" || { tail -3 "$HOME_DIR/up.log" && return 1; }
  for _ in $(seq 30); do
    listed=$(value "select jsonb_array_length(gpus) from hosts limit 1")
    [[ -n $listed && $listed != 0 ]] && break
    sleep 1
  done
  expected=$(devices | wc -l)
  instances=$(devices | grep -c '^MIG-')
  [[ $listed == "$expected" ]] || { echo "bench leases $listed devices, nvidia-smi lists $expected" && return 1; }
  echo "bench leases $listed devices, of which $instances are MIG instances"
}

lease() {
  local batch lease
  recording "$HOME_DIR/lease.json" "nvidia-smi -L"
  batch=$(play "$HOME_DIR/lease.json" battleOfSexes 1)
  lease=$(value "select device || ', released ' || (released_at is not null) from leases where run_id in (select run_id from runs where batch_id = '$batch')")
  echo "device $lease; the run saw: $(printed "$batch" 1)"
  [[ $lease == *"released true"* && $(printed "$batch" 1) == *UUID* ]]
}

no_sharing() {
  (($(devices | wc -l) > 1)) || { echo "this host has one device" && return 2; }
  local batch shared
  recording "$HOME_DIR/two.json" "nvidia-smi -L | grep -o 'UUID: [GM][^)]*' | tail -1; sleep 20"
  batch=$(play "$HOME_DIR/two.json" battleOfSexes 2)
  shared=$(value "select count(*) from leases a join leases b on a.run_id < b.run_id and a.device = b.device and a.host_id = b.host_id and a.granted_at < b.released_at and b.granted_at < a.released_at where a.run_id in (select run_id from runs where batch_id = '$batch')")
  echo "the runs saw $(printed "$batch" 1)"
  [[ $shared == 0 && $(printed "$batch" 1 | grep -o 'UUID: [^ ]*' | sort -u | wc -l) == 2 ]]
}

evaluator_task() {
  local task=$HOME_DIR/configs/tasks/gpuAccept
  mkdir -p "$task/starter" "$task/evaluator"
  echo 0 >"$task/starter/answer.txt"
  cat >"$task/task.yaml" <<'YAML'
schema: 1
id: gpuAccept
name: GPU of the evaluator
contract: 1
domain: other
description: Submit answer.txt.
metrics: { devices: { direction: maximize, description: GPUs that CUDA finds in the evaluator } }
primary: devices
gpus: 1
submission: { files: [answer.txt], maxBytes: 1000 }
evaluator: { kind: data, gpu: true, refereeMemoryMb: 4096 }
YAML
  cat >"$task/evaluator/referee.py" <<'PYTHON'
import ctypes


def evaluate(files):
    cuda, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
    for code in (cuda.cuInit(0), cuda.cuDeviceGetCount(ctypes.byref(count))):
        if code != 0:
            raise RuntimeError(f"CUDA error {code}")
    return {"devices": float(count.value)}
PYTHON
}

evaluator() {
  local batch score
  evaluator_task
  recording "$HOME_DIR/evaluator.json" "cat answer.txt"
  batch=$(play "$HOME_DIR/evaluator.json" gpuAccept 1)
  score=$(value "select final_score from runs where batch_id = '$batch'")
  echo "CUDA found ${score:-no} devices in the evaluator; $(value "select string_agg(detail, '; ') from events where kind = 'evaluator_error' and run_id in (select run_id from runs where batch_id = '$batch')")"
  [[ $score == 1* ]]
}

memory_freed() {
  local before during=0 after batch allocate
  before=$(used_mb)
  allocate='python3 -c "
import ctypes, time
cuda, context, memory = ctypes.CDLL(\"libcuda.so.1\"), ctypes.c_void_p(), ctypes.c_uint64()
codes = [cuda.cuInit(0), cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0), cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(2 << 30))]
print(codes, flush=True)
time.sleep(600)" > said.txt 2>&1 & sleep 15; cat said.txt'
  recording "$HOME_DIR/memory.json" "$allocate"
  play "$HOME_DIR/memory.json" battleOfSexes 1 >"$HOME_DIR/memory.batch" &
  local playing=$! now
  while kill -0 "$playing" 2>/dev/null; do
    now=$(used_mb)
    ((now > during)) && during=$now
    sleep 1
  done
  wait "$playing"
  batch=$(cat "$HOME_DIR/memory.batch")
  for _ in $(seq 10); do after=$(used_mb) && ((after <= before + 64)) && break || sleep 1; done
  echo "$before MB before, $during MB during, $after MB after; the run said $(printed "$batch" 1)"
  ((during >= before + 2000 && after <= before + 64))
}

lost_gpu() {
  [[ $(id -u) == 0 && -d /run/systemd/system ]] || { echo "needs root and systemd: run it as root" && return 2; }
  local batch event seen playing
  recording "$HOME_DIR/lost.json" "touch here; nvidia-smi -L" "sleep 20" "ls; nvidia-smi -L"
  play "$HOME_DIR/lost.json" battleOfSexes 1 >"$HOME_DIR/lost.batch" &
  playing=$!
  for _ in $(seq 120); do
    [[ -n $(value "select run_id from steps where action = 'sleep 20' limit 1") ]] && break
    kill -0 "$playing" 2>/dev/null || break
  done
  systemctl daemon-reload
  wait "$playing"
  batch=$(cat "$HOME_DIR/lost.batch")
  event=$(value "select detail from events where kind = 'gpus_lost' and run_id in (select run_id from runs where batch_id = '$batch') limit 1")
  seen=$(printed "$batch" 3)
  echo "${event:-no event: daemon-reload takes no GPU from containers here}; afterwards: $seen"
  [[ $seen == *here* && $seen == *UUID* ]]
}

if ! command -v nvidia-smi >/dev/null || [[ $(nvidia-smi -L 2>/dev/null) != *UUID* ]]; then
  echo "no GPU on this host: $(nvidia-smi -L 2>&1 | head -1)" >&2
  exit 3
fi
for program in docker node python3; do
  command -v "$program" >/dev/null || { echo "$program is missing" >&2 && exit 1; }
done
[[ -f $ROOT/dist/cli/main.js ]] || { echo "dist/ is missing: npm run build" >&2 && exit 1; }

HOME_DIR=$(mktemp -d -t bench-accept-gpu-XXXXXX)
trap 'env BENCH_HOME="$HOME_DIR" node "$ROOT/dist/cli/main.js" down >/dev/null 2>&1; rm -rf "$HOME_DIR"' EXIT

check 1 "driver" driver
check 2 "container toolkit" toolkit
check 3 "docker run --gpus" run_with_gpus
check 4 "one device visible inside" device_inside
check 5 "devices that bench lists, MIG too" mig_listing
check 6 "lease and release" lease
check 7 "two runs do not share" no_sharing
check 8 "evaluator with a GPU" evaluator
check 9 "memory freed at the end" memory_freed
check 10 "lost GPUs found and restored" lost_gpu

printf ' #  %-34s %-8s %s\n' check result seen
printf '%s\n' "${ROWS[@]}"
exit $FAILED
