import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { slurmJobSchema } from '../../../domain/requests/slurm.js';
import type { HostState } from '../../../domain/views/hosts.js';
import { timeOfText } from '../../../domain/time-of-text.js';
import { jobScript, neededJobs } from '../../../operations/home/hosts/scale.js';
import { readQueue, submitJob, type QueuedJob } from '../../../operations/home/hosts/slurm-jobs.js';
import { slurmScript } from '../../../operations/home/hosts/slurm-script.js';
import { homeLayout } from '../../../domain/home-layout.js';

const script = (over: object = {}) =>
  slurmScript({
    ...slurmJobSchema.parse({ partition: 'low', gpus: 2, ...over }),
    ...{ home: "/shared/it's home", command: ['/usr/bin/node', '/opt/bench/main.js'], name: 'bench-1' },
  });

describe('a job', () => {
  it('asks for what it was given, and is a script that bash takes', () => {
    const text = script({ hours: 8, cpus: 4, memoryGb: 32, grace: 100 });
    execFileSync('bash', ['-n'], { input: text });
    for (const line of [
      ...['-p low', '-t 8:00:00', '-c 4', '--mem=32G', '--gres=gpu:2', '--requeue'],
      ...['--signal=B:USR2@100', '-J bench-1'],
    ])
      expect(text).toContain(`#SBATCH ${line}\n`);
    expect(text).toContain(`cp '/shared/it'\\''s home/.env'`);
    expect(text).toContain('BENCH_GPUS="${CUDA_VISIBLE_DEVICES:-auto}"');
    expect(script({ gpus: 0 })).toContain('BENCH_GPUS=none');
    expect(script({ gpus: 0 })).not.toContain('--gres');
  });

  it('has a home that no other user could have made before it, and leaves nothing of it', () => {
    const dir = mkdtempSync(join(tmpdir(), 'bench-slurm-'));
    const program = (name: string, text: string): void =>
      writeFileSync(join(dir, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const run = (squeue: string, env: Record<string, string>) => {
      program('squeue', squeue);
      const text = slurmScript({
        ...slurmJobSchema.parse({}),
        ...{ home: join(dir, 'joined'), command: [join(dir, 'bench')], name: 'bench-1' },
      });
      return spawnSync('bash', {
        input: text,
        encoding: 'utf8',
        env: { PATH: `${dir}:${process.env['PATH'] ?? ''}`, SLURM_JOB_ID: '7', ...env },
      });
    };
    try {
      for (const name of ['joined', 'tmp', 'tmp/bench-7-0', 'own']) mkdirSync(join(dir, name));
      writeFileSync(join(dir, 'joined', '.env'), 'DATABASE_URL=secret\n');
      writeFileSync(join(dir, 'tmp/bench-7-0/.env'), '', { mode: 0o666 });
      program('bench', 'echo "$BENCH_HOME" "$(stat -c %a "$BENCH_HOME" "$BENCH_HOME/.env" | xargs)"; exit 3');
      const ran = run('echo 2030-01-01T00:00:00', { TMPDIR: join(dir, 'tmp') });
      expect(ran.stderr).toBe('');
      expect(ran.stdout).toMatch(/\/tmp\/bench-7-\w{10} 700 600\n$/);
      expect(ran.status).toBe(3);
      expect(readFileSync(join(dir, 'tmp/bench-7-0/.env'), 'utf8')).toBe('');
      // A disk that Slurm gives the job comes first.
      expect(run('echo 2030-01-01T00:00:00', { TMPDIR: '/nowhere', SLURM_TMPDIR: join(dir, 'own') }).status).toBe(3);
      expect(run('exit 1', { TMPDIR: join(dir, 'own') }).status).toBe(1);
      expect([readdirSync(join(dir, 'tmp')), readdirSync(join(dir, 'own'))]).toEqual([['bench-7-0'], []]);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('takes no word that a shell would read as anything else', () => {
    for (const partition of ['low; rm -rf /', 'a b', '$(id)', 'low\n#SBATCH --uid=0', ''])
      expect(slurmJobSchema.safeParse({ partition }).success).toBe(false);
  });

  it('is refused to a home that has joined nothing', () => {
    const home = mkdtempSync(join(tmpdir(), 'bench-slurm-'));
    try {
      const settings = {
        home,
        layout: homeLayout(home),
        assetsRoot: home,
        databaseUrl: 'postgresql://x/y',
        temporalAddress: 't:1',
      };
      expect(() => jobScript(settings, slurmJobSchema.parse({}))).toThrow(/has not joined a fleet/);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

describe('the queue', () => {
  it('is read as squeue prints it', () => {
    expect(readQueue('  12 PENDING\n13 RUNNING\n14 COMPLETING\n\nJOBID STATE\n')).toEqual([
      { jobId: '12', state: 'pending' },
      { jobId: '13', state: 'running' },
      { jobId: '14', state: 'ending' },
    ]);
  });

  const jobs = (...states: QueuedJob['state'][]): QueuedJob[] =>
    states.map((state, i) => ({ jobId: String(i + 1), state }));
  const host = (jobId: number, activeRuns: number, state: HostState = 'up', restart = 0) => ({
    ...{ hostId: `slurm-${jobId}-${restart}`, activeRuns, state },
  });
  const four = { max: 4, slots: 2 };

  it('gets jobs for what waits, and never more than the most', () => {
    expect(neededJobs(four, [], [], 5)).toEqual({ submit: 3, cancel: [], end: [] });
    expect(neededJobs(four, [], [], 500).submit).toBe(4);
    // Jobs to come are places to come.
    expect(neededJobs(four, jobs('pending', 'running'), [], 5).submit).toBe(1);
    expect(neededJobs(four, jobs('running', 'running'), [host(1, 2), host(2, 2)], 1).submit).toBe(1);
    expect(neededJobs(four, jobs('running', 'ending', 'ending', 'ending'), [host(1, 2)], 9).submit).toBe(0);
  });

  it('gets jobs for the runs of those that died with their node, and not again and again', () => {
    const dead = [host(1, 3, 'silent'), host(2, 0, 'silent')];
    expect(neededJobs(four, [], dead, 0)).toEqual({ submit: 2, cancel: [], end: [] });
    expect(neededJobs(four, jobs('pending', 'pending'), [host(7, 3, 'silent')], 0).cancel).toEqual([]);
    // Those that came in their place have not taken them over yet, and stay.
    const fresh = [
      { jobId: '8', state: 'running' as const },
      { jobId: '9', state: 'running' as const },
    ];
    expect(neededJobs(four, fresh, [...dead, host(8, 0), host(9, 0)], 0)).toEqual({ submit: 0, cancel: [], end: [] });
    // Requeued, it is another host.
    expect(neededJobs(four, jobs('pending'), [host(1, 2, 'silent')], 0)).toEqual({ submit: 0, cancel: [], end: [] });
    expect(neededJobs(four, jobs('running'), [host(1, 2, 'silent'), host(1, 0, 'up', 1)], 0).end).toEqual([]);
    // While nobody is heard, nobody is dead.
    expect(neededJobs(four, jobs('running'), [host(1, 2, 'silent')], 0)).toEqual({ submit: 0, cancel: [], end: [] });
    expect(neededJobs(four, [], [{ ...host(1, 5, 'silent'), hostId: 'desk' }], 0).submit).toBe(0);
  });

  it('loses what is needed no more: jobs that wait, then hosts without runs', () => {
    expect(neededJobs(four, jobs('pending', 'pending', 'running'), [host(3, 1)], 2)).toEqual({
      ...{ submit: 0, cancel: ['2'], end: [] },
    });
    expect(neededJobs(four, jobs('running', 'running', 'pending'), [host(1, 0), host(2, 1)], 0)).toEqual({
      ...{ submit: 0, cancel: ['3'], end: ['1'] },
    });
    // A host that has not registered yet is waited for while a run is.
    expect(neededJobs(four, jobs('running'), [], 1)).toEqual({ submit: 0, cancel: [], end: [] });
    expect(neededJobs(four, jobs('running'), [], 0).end).toEqual(['1']);
    // Job 1 is not job 12.
    expect(neededJobs(four, jobs('running'), [host(12, 3)], 0).end).toEqual(['1']);
    expect(neededJobs(four, jobs('running'), [host(1, 3)], 0).end).toEqual([]);
    expect(neededJobs({ max: 0, slots: 2 }, jobs('running', 'pending'), [host(1, 3)], 7)).toEqual({
      ...{ submit: 0, cancel: ['2'], end: ['1'] },
    });
  });
});

it('a program of Slurm may end before it has read its input', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bench-slurm-'));
  const path = process.env['PATH'];
  try {
    writeFileSync(join(dir, 'sbatch'), '#!/bin/sh\nexec <&-\necho "7;cluster"\n', { mode: 0o755 });
    process.env['PATH'] = `${dir}:${path ?? ''}`;
    expect(await submitJob('#'.repeat(4_000_000))).toBe('7');
    writeFileSync(join(dir, 'sbatch'), '#!/bin/sh\necho "sbatch: error: invalid partition" >&2\nexit 1\n', {
      mode: 0o755,
    });
    await expect(submitJob('#!/bin/bash')).rejects.toThrow('sbatch failed: sbatch: error: invalid partition');
  } finally {
    process.env['PATH'] = path;
    rmSync(dir, { recursive: true });
  }
});

it('a time is as people and batch systems write it', () => {
  expect(timeOfText('2030-01-31T18:00:00Z')?.toISOString()).toBe('2030-01-31T18:00:00.000Z');
  expect(timeOfText('1893456000')?.toISOString()).toBe('2030-01-01T00:00:00.000Z');
  for (const text of ['', 'soon', '4h', '2030', '2030-13-41T99:00:00Z', '-5']) expect(timeOfText(text)).toBeNull();
});
