import { execa } from 'execa';
import { BenchError } from '../../../domain/errors.js';
import { LEAVE } from './slurm-script.js';

export interface QueuedJob {
  jobId: string;
  state: 'pending' | 'running' | 'ending';
}
export type NamedJob = QueuedJob & { name: string };

/** What `squeue -h -o "%i %T %j"` prints. */
export function readQueue(printed: string): NamedJob[] {
  return printed.split('\n').flatMap((line) => {
    const [, jobId, state, name] = /^(\d+)\s+([A-Z_]+)\s+(\S+)$/.exec(line.trim()) ?? [];
    if (jobId === undefined || name === undefined) return [];
    const waits = ['PENDING', 'REQUEUED', 'REQUEUE_HOLD', 'SPECIAL_EXIT', 'CONFIGURING'].includes(state ?? '');
    return [{ jobId, state: waits ? 'pending' : state === 'RUNNING' ? 'running' : 'ending', name } satisfies NamedJob];
  });
}

/** By execa, which lets a program end before it has read its input. */
async function slurm(program: string, args: string[], input = ''): Promise<string> {
  try {
    return (await execa(program, args, { input, timeout: 60_000 })).stdout;
  } catch (error) {
    const { code, stderr, shortMessage } = error as { code?: string; stderr?: unknown; shortMessage?: string };
    if (code === 'ENOENT')
      throw new BenchError('usage', `there is no ${program} on this machine`, {
        code: 'slurm.failed',
        remedy: 'Run this where jobs are submitted.',
      });
    const why = typeof stderr === 'string' ? (stderr.trim().split('\n').at(-1) ?? '') : '';
    throw new BenchError('services', `${program} failed: ${why === '' ? (shortMessage ?? String(error)) : why}`, {
      code: 'slurm.failed',
    });
  }
}

/** Jobs of this user whose names begin so. */
export const queuedJobs = async (prefix: string): Promise<NamedJob[]> =>
  readQueue(await slurm('squeue', ['--me', '-h', '-o', '%i %T %j'])).filter(({ name }) => name.startsWith(prefix));

export const submitJob = async (script: string): Promise<string> =>
  (await slurm('sbatch', ['--parsable'], script)).trim().split(';')[0] ?? '';

/** One that has not begun. */
export const cancelJob = async (jobId: string): Promise<void> =>
  void (await slurm('scancel', ['-t', 'PENDING', jobId]));

/** One that runs hands its runs on, and ends. */
export const endJob = async (jobId: string): Promise<void> => void (await slurm('scancel', ['-b', '-s', LEAVE, jobId]));
