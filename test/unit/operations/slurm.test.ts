import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { slurmJobSchema, slurmScaleSchema } from '../../../domain/requests/slurm.js';
import type { HostState, RunNeeds } from '../../../domain/views/hosts.js';
import { timeOfText } from '../../../domain/text/time-of-text.js';
import { JobStarts } from '../../../operations/home/hosts/job-starts.js';
import { neededJobs } from '../../../operations/home/hosts/needed-jobs.js';
import { jobScript } from '../../../operations/home/hosts/scale.js';
import { readQueue, submitJob, type QueuedJob } from '../../../operations/home/hosts/slurm-jobs.js';
import { slurmScript } from '../../../operations/home/hosts/slurm-script.js';
import { homeLayout } from '../../../domain/home/layout.js';

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
        env: {
          ...{ PATH: `${dir}:${process.env['PATH'] ?? ''}`, SLURM_JOB_ID: '7', BENCH_PODMAN_HOST: 'unix:///nowhere' },
          ...env,
        },
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

  it('is refused to a home that has joined nothing; its name tells its home and what it asks for', () => {
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
      writeFileSync(join(home, '.env'), '');
      const nameOf = (asked: object): string =>
        /-J (bench-[0-9a-f]{8}-[0-9a-f]{8})\n/.exec(
          jobScript(settings, slurmScaleSchema.parse({ max: 1, ...asked })),
        )?.[1] ?? '';
      const names = [{}, { gpus: 1 }, { partition: 'low' }, { hours: 8 }].map(nameOf);
      expect(new Set(names).size).toBe(4);
      expect(new Set(names.map((name) => name.slice(0, 14))).size).toBe(1);
      expect(nameOf({ max: 7 })).toBe(names[0]);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

describe('the queue', () => {
  it('is read as squeue prints it', () => {
    expect(
      readQueue('  12 PENDING bench-1\n13 RUNNING b\n14 COMPLETING c\n15 RUNNING my own job\n\nJOBID STATE NAME X\n'),
    ).toEqual([
      { jobId: '12', state: 'pending', name: 'bench-1' },
      { jobId: '13', state: 'running', name: 'b' },
      { jobId: '14', state: 'ending', name: 'c' },
    ]);
  });

  const jobs = (...states: QueuedJob['state'][]): QueuedJob[] =>
    states.map((state, i) => ({ jobId: String(i + 1), state }));
  const host = (jobId: number, activeRuns: number, state: HostState = 'up', restart = 0, over: object = {}) => ({
    ...{ hostId: `slurm-${jobId}-${restart}`, activeRuns, state, slots: 2, gpus: [], busyGpus: [] },
    ...{ leavesAt: null, memoryForRunsMb: null },
    ...over,
  });
  const alike = (runs: number, over: Partial<RunNeeds> = {}): RunNeeds => ({
    ...{ hostId: null, gpus: 0, backend: 'local', memoryMb: 100, seconds: 600, runs },
    ...over,
  });
  const four = { max: 4, slots: 2, hours: 4, cpus: 2, memoryGb: 16, gpus: 0 };
  const look = (
    asked: Parameters<typeof neededJobs>[0],
    queued: QueuedJob[],
    hosts: ReturnType<typeof host>[],
    waiting: number | RunNeeds[],
    backends?: string[],
  ) => {
    const waits = typeof waiting === 'number' ? [alike(waiting)] : waiting;
    const placed = hosts.map(({ hostId, activeRuns }) => alike(activeRuns, { hostId, gpus: asked.gpus > 0 ? 1 : 0 }));
    return neededJobs(
      asked,
      queued,
      hosts,
      [...waits, ...placed].filter(({ runs }) => runs > 0),
      { now: 0, backends },
    );
  };
  const changed = (...args: Parameters<typeof look>) => {
    const { submit, cancel, end } = look(...args);
    return { submit, cancel, end };
  };

  it('gets jobs for what waits, and never more than the most', () => {
    expect(changed(four, [], [], 5)).toEqual({ submit: 3, cancel: [], end: [] });
    expect(look(four, [], [], 500).submit).toBe(4);
    // Jobs to come are places to come.
    expect(look(four, jobs('pending', 'running'), [], 5).submit).toBe(1);
    expect(look(four, jobs('running', 'running'), [host(1, 2), host(2, 2)], 1).submit).toBe(1);
    expect(look(four, jobs('running', 'ending', 'ending', 'ending'), [host(1, 2)], 9).submit).toBe(0);
  });

  it('gets jobs for the runs of those that died with their node, and not again and again', () => {
    const dead = [host(1, 3, 'silent'), host(2, 0, 'silent')];
    expect(changed(four, [], dead, 0)).toEqual({ submit: 2, cancel: [], end: [] });
    expect(look(four, jobs('pending', 'pending'), [host(7, 3, 'silent')], 0).cancel).toEqual([]);
    // Those that came in their place have not taken them over yet, and stay.
    const fresh = [
      { jobId: '8', state: 'running' as const },
      { jobId: '9', state: 'running' as const },
    ];
    expect(changed(four, fresh, [...dead, host(8, 0), host(9, 0)], 0)).toEqual({ submit: 0, cancel: [], end: [] });
    // Requeued, it is another host.
    expect(changed(four, jobs('pending'), [host(1, 2, 'silent')], 0)).toEqual({ submit: 0, cancel: [], end: [] });
    expect(look(four, jobs('running'), [host(1, 2, 'silent'), host(1, 0, 'up', 1)], 0).end).toEqual([]);
    // While nobody is heard, nobody is dead.
    expect(changed(four, jobs('running'), [host(1, 2, 'silent')], 0)).toEqual({ submit: 0, cancel: [], end: [] });
    expect(look(four, [], [{ ...host(1, 5, 'silent'), hostId: 'desk' }], 0).submit).toBe(0);
  });

  it('loses what is needed no more: jobs that wait, then hosts without runs', () => {
    expect(changed(four, jobs('pending', 'pending', 'running'), [host(3, 1)], 2)).toEqual({
      ...{ submit: 0, cancel: ['2'], end: [] },
    });
    expect(changed(four, jobs('running', 'running', 'pending'), [host(1, 0), host(2, 1)], 0)).toEqual({
      ...{ submit: 0, cancel: ['3'], end: ['1'] },
    });
    // A host that has not registered yet is waited for while a run is.
    expect(changed(four, jobs('running'), [], 1)).toEqual({ submit: 0, cancel: [], end: [] });
    expect(look(four, jobs('running'), [], 0).end).toEqual(['1']);
    // Job 1 is not job 12.
    expect(look(four, jobs('running'), [host(12, 3)], 0).end).toEqual(['1']);
    expect(look(four, jobs('running'), [host(1, 3)], 0).end).toEqual([]);
    expect(changed({ ...four, max: 0 }, jobs('running', 'pending'), [host(1, 3)], 7)).toEqual({
      ...{ submit: 0, cancel: ['2'], end: ['1'] },
    });
  });

  it('gets no job for a run that no job could take', () => {
    const unsuitable = (need: Partial<RunNeeds>, asked = four, backends?: string[]) => {
      const { submit, waiting, unsuitable: others } = look(asked, [], [], [alike(3, need)], backends);
      return [submit, waiting, others];
    };
    // A job has less time than it asks for: its worker starts first.
    expect(unsuitable({ seconds: 4 * 3600 })).toEqual([0, 0, 3]);
    expect(unsuitable({ seconds: 4 * 3600 - 200 })).toEqual([2, 3, 0]);
    expect(unsuitable({ seconds: null })).toEqual([2, 3, 0]);
    expect(unsuitable({ memoryMb: 15 * 1024 })).toEqual([0, 0, 3]);
    expect(unsuitable({ backend: 'docker' }, four, ['local'])).toEqual([0, 0, 3]);
    expect(unsuitable({ gpus: 3 }, { ...four, gpus: 2 })).toEqual([0, 0, 3]);
    // Of the other scaler.
    expect(unsuitable({ gpus: 1 })).toEqual([0, 0, 0]);
    expect(unsuitable({}, { ...four, gpus: 2 })).toEqual([0, 0, 0]);
  });

  it('gets no job for runs for which there is room already', () => {
    expect(look(four, jobs('running', 'running'), [host(1, 1), host(2, 0)], 3)).toMatchObject({ submit: 0, end: [] });
    expect(look(four, jobs('running', 'running'), [host(1, 1), host(2, 0)], 4).submit).toBe(1);
    expect(look(four, jobs('running'), [host(1, 0, 'paused')], 1).submit).toBe(1);
    // There is room only for what it has time and memory for.
    const late = host(1, 0, 'up', 0, { leavesAt: new Date(500_000).toISOString() });
    expect(look(four, jobs('running'), [late], 1)).toMatchObject({ submit: 1, end: ['1'] });
    expect(look(four, jobs('running'), [late], [alike(1, { seconds: 400 })])).toMatchObject({ submit: 0, end: [] });
    const full = host(1, 1, 'up', 0, { memoryForRunsMb: 150 });
    expect(look(four, jobs('running'), [full], 1).submit).toBe(1);
    // Memory decides how many go into a job, too.
    expect(look(four, [], [], [alike(3, { memoryMb: 10_000 })]).submit).toBe(3);
    const gpus = { ...four, gpus: 4 };
    const two = host(1, 1, 'up', 0, { gpus: ['0', '1', '2', '3'], busyGpus: ['3'] });
    expect(look(gpus, jobs('running'), [two], [alike(1, { gpus: 2 })]).submit).toBe(0);
    expect(look(gpus, jobs('running'), [two], [alike(1, { gpus: 3 })]).submit).toBe(1);
  });

  it('gets jobs with GPUs for the stranded runs that have some alone', () => {
    const dead = host(7, 0, 'silent');
    const placed = [alike(2, { hostId: 'slurm-7-0' }), alike(1, { hostId: 'slurm-7-0', gpus: 1 })];
    expect(look(four, [], [dead], placed)).toMatchObject({ submit: 1, waiting: 2 });
    expect(look({ ...four, gpus: 1 }, [], [dead], placed)).toMatchObject({ submit: 1, waiting: 1 });
  });
});

describe('jobs that die at their start', () => {
  const queued = (...jobIds: number[]): QueuedJob[] =>
    jobIds.map((jobId) => ({ jobId: String(jobId), state: 'running' }));
  const hostOf = (jobId: number, state: HostState = 'up') => ({
    ...{ hostId: `slurm-${jobId}-0`, state, backends: ['local'] },
  });
  const MINUTE = 60_000;

  it('are tried again one at a time, ever more seldom, until one has a host', () => {
    const starts = new JobStarts();
    for (const jobId of ['1', '2']) starts.submitted(jobId);
    expect(starts.look(0, queued(1, 2), [])).toEqual([]);
    expect(starts.allowed(0, 5)).toBe(5);
    expect(starts.look(0, [], [])).toEqual(['1', '2']);
    expect([starts.allowed(0, 5), starts.secondsToNext(0)]).toEqual([0, 60]);
    let now = MINUTE;
    for (const minutes of [2, 4, 8, 10, 10]) {
      expect(starts.allowed(now, 5)).toBe(1);
      starts.submitted('3');
      // It waits in the queue, for however long.
      expect(starts.look(now, queued(3), [])).toEqual([]);
      expect(starts.allowed(now, 5)).toBe(0);
      expect(starts.look(now, [{ jobId: '3', state: 'ending' }], [])).toEqual(['3']);
      expect(starts.secondsToNext(now)).toBe(minutes * 60);
      now += minutes * MINUTE;
    }
    starts.submitted('4');
    expect(starts.look(now, queued(4), [hostOf(4)])).toEqual([]);
    expect(starts.allowed(now, 5)).toBe(5);
  });

  it('are not those that had a host, or were told to end', () => {
    const starts = new JobStarts();
    for (const jobId of ['1', '2', '3']) starts.submitted(jobId);
    starts.look(0, queued(1, 2, 3), [hostOf(1)]);
    starts.dismissed('2');
    expect(starts.gone(queued(3))).toEqual([]);
    expect(starts.gone([])).toEqual(['3']);
    expect(starts.look(0, [], [hostOf(3, 'removed')])).toEqual([]);
    expect(starts.allowed(0, 5)).toBe(5);
  });

  it('leave what jobs offer in mind, for an hour', () => {
    const starts = new JobStarts();
    expect(starts.backends(0)).toBeUndefined();
    starts.look(0, queued(1), [hostOf(1), { ...hostOf(2), backends: ['docker'] }]);
    starts.look(MINUTE, [], []);
    expect([starts.backends(MINUTE), starts.backends(61 * MINUTE)]).toEqual([['local'], undefined]);
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
