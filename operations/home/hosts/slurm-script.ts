import { resolve } from 'node:path';
import type { SlurmJob } from '../../../domain/requests/slurm.js';
import { quotedWord } from '../../../domain/text/shell-word.js';
import { PODMAN_OF_JOB } from './slurm-podman.js';

export interface SlurmScriptOptions extends SlurmJob {
  /** A joined home, on a file system that the nodes share. */
  home: string;
  /** The command line on the nodes. */
  command: readonly string[];
}

/** Slurm is not exact to the second: it checks every 30 to 60. */
const SIGNAL_SECONDS = 60;
/** Ends whoever does not handle it yet; SIGUSR1 would open Node's debugger instead. */
const LEAVE = 'USR2';
/** Of a job's memory, for the limits of its runs together. */
const OF_RUNS = 0.9;

/**
 * A job whose worker takes runs that end in the job's time, and hands the others over when the job
 * ends, is preempted or cancelled. Its own home has the settings of the joined one.
 */
export function slurmScript(options: SlurmScriptOptions): string {
  const { home, command, partition, account, qos, hours, cpus, memoryGb, gpus, grace } = options;
  const asked = [
    '-J bench',
    ...(partition === undefined ? [] : [`-p ${partition}`]),
    ...(account === undefined ? [] : [`-A ${account}`]),
    ...(qos === undefined ? [] : [`-q ${qos}`]),
    `-t ${hours}:00:00`,
    '-N 1',
    '-n 1',
    `-c ${cpus}`,
    `--mem=${memoryGb}G`,
    ...(gpus === 0 ? [] : [`--gres=gpu:${gpus}`]),
    '--requeue',
    `--signal=B:${LEAVE}@${Math.max(SIGNAL_SECONDS, grace)}`,
    '--open-mode=append',
    `-o ${resolve(home, 'slurm-%j.log').replaceAll(' ', String.raw`\ `)}`,
  ];
  return `#!/bin/bash
${asked.map((line) => `#SBATCH ${line}`).join('\n')}
set -u
umask 077
# Of a name that no other user can guess: it has the password of the database.
BENCH_HOME="$(mktemp -d "\${SLURM_TMPDIR:-\${TMPDIR:-/tmp}}/bench-$SLURM_JOB_ID-XXXXXXXXXX")" || exit 1
export BENCH_HOME
${PODMAN_OF_JOB}
trap 'end_podman; rm -rf "$BENCH_HOME"' EXIT
cp ${quotedWord(resolve(home, '.env'))} "$BENCH_HOME/.env" || exit 1
ends=$(squeue -h -j "$SLURM_JOB_ID" -o %e) && ends=$(date -d "$ends" +%s) || exit 1
# Requeued, it is another host.
export BENCH_HOST="slurm-$SLURM_JOB_ID-\${SLURM_RESTART_COUNT:-0}" BENCH_UNTIL="$ends" BENCH_GRACE_SECONDS=${grace}
export BENCH_SLOTS=${options.slots ?? cpus} BENCH_MEMORY_MB=${Math.floor(memoryGb * 1024 * OF_RUNS)} BENCH_GPUS=${gpus === 0 ? 'none' : '"${CUDA_VISIBLE_DEVICES:-auto}"'}

if needs_podman && ! start_podman; then
  echo "podman's service does not start, and says why above if it can; this host goes without podman." >&2
fi
${command.map(quotedWord).join(' ')} worker 9>&- &
worker=$!
# Its time is nearly over, or it is preempted or cancelled: the worker hands its runs on and ends.
trap 'signalled=1; kill -${LEAVE} "$worker" 2>/dev/null' ${LEAVE} TERM
# A signal interrupts a wait; a second wait for what has ended may not know its status any more.
status=127 signalled=1
while [ -n "$signalled" ]; do
  signalled=
  wait "$worker"
  ended=$?
  [ "$ended" = 127 ] || status=$ended
done
exit "$status"
`;
}
