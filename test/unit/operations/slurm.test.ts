import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { slurmJobSchema } from '../../../domain/requests/slurm.js';
import { timeOfText } from '../../../domain/text/time-of-text.js';
import { slurmJob } from '../../../operations/home/hosts/slurm-job.js';
import { slurmScript } from '../../../operations/home/hosts/slurm-script.js';
import { homeLayout } from '../../../domain/home/layout.js';

const script = (over: object = {}) =>
  slurmScript({
    ...slurmJobSchema.parse({ partition: 'low', gpus: 2, ...over }),
    ...{ home: "/shared/it's home", command: ['/usr/bin/node', '/opt/bench/main.js'] },
  });

describe('a job', () => {
  it('asks for what it was given, and is a script that bash takes', () => {
    const text = script({ hours: 8, cpus: 4, memoryGb: 32, grace: 100 });
    execFileSync('bash', ['-n'], { input: text });
    for (const line of [
      ...['-p low', '-t 8:00:00', '-c 4', '--mem=32G', '--gres=gpu:2', '--requeue'],
      ...['--signal=B:USR2@100', '-J bench'],
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
        ...{ home: join(dir, 'joined'), command: [join(dir, 'bench')] },
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
      expect(() => slurmJob(settings, slurmJobSchema.parse({}))).toThrow(/has not joined a fleet/);
      writeFileSync(join(home, '.env'), '');
      expect(slurmJob(settings, slurmJobSchema.parse({}))).toContain(`cp '${home}/.env'`);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

it('a time is as people and batch systems write it', () => {
  expect(timeOfText('2030-01-31T18:00:00Z')?.toISOString()).toBe('2030-01-31T18:00:00.000Z');
  expect(timeOfText('1893456000')?.toISOString()).toBe('2030-01-01T00:00:00.000Z');
  for (const text of ['', 'soon', '4h', '2030', '2030-13-41T99:00:00Z', '-5']) expect(timeOfText(text)).toBeNull();
});
