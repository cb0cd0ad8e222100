import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = resolve(import.meta.dirname, '../..');

/** The plugin, or the older program of the same purpose. */
function compose(args: readonly string[], env: Record<string, string>): string {
  const hasPlugin = spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status === 0;
  const [program, ...first] = hasPlugin ? ['docker', 'compose'] : ['docker-compose'];
  const options = {
    cwd: ROOT,
    env: { ...process.env, POSTGRES_PASSWORD: 'secret', ...env },
    encoding: 'utf8' as const,
  };
  return execFileSync(
    program ?? '',
    [...first, '--project-directory', ROOT, '-f', 'docker-compose.yml', ...args],
    options,
  );
}

const configSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      restart: z.union([z.string(), z.boolean()]).optional(),
      depends_on: z.unknown().optional(),
      environment: z.record(z.string(), z.unknown()),
      volumes: z.array(z.unknown()).optional(),
    }),
  ),
});

describe('docker-compose.yml', () => {
  it('is accepted, and brings PostgreSQL, Temporal, its page, migrations and workers by role, all pinned', () => {
    const { services } = configSchema.parse(parse(compose(['config'], {})));
    expect(Object.keys(services).sort()).toEqual([
      'control',
      'migrate',
      'postgres',
      'temporal',
      'temporal-ui',
      'worker',
    ]);
    for (const [name, { image }] of Object.entries(services)) {
      if (image === 'bench-worker') expect(['control', 'migrate', 'worker']).toContain(name);
      else expect(image).toMatch(/:[\w.-]*\d[\w.-]*$/);
    }
  });

  it('gives the worker the home at the same path inside and outside, and one password to all', () => {
    const env = { BENCH_HOME: '/data/bench home', POSTGRES_PASSWORD: 'not-the-default' };
    const { services } = configSchema.parse(parse(compose(['config'], env)));
    expect(services['worker']?.environment['BENCH_HOME']).toBe('/data/bench home');
    const mounts = (services['worker']?.volumes ?? []).map((mount) => JSON.stringify(mount));
    expect(mounts.some((mount) => mount.split('/data/bench home').length === 3)).toBe(true);
    expect(services['postgres']?.environment['POSTGRES_PASSWORD']).toBe('not-the-default');
    expect(services['temporal']?.environment['POSTGRES_PWD']).toBe('not-the-default');
    expect(services['worker']?.environment['DATABASE_URL']).toContain(':not-the-default@postgres:5432/');
  });

  it('has no default password, and publishes neither Temporal nor its page', () => {
    const text = readFileSync(resolve(ROOT, 'docker-compose.yml'), 'utf8');
    expect(text).not.toMatch(/POSTGRES_PASSWORD:-/);
    expect(text).not.toMatch(/:(7233|8080)'/);
    expect(text.match(/^ +- '.*:\d+'$/gm)).toEqual([
      "      - '127.0.0.1:${POSTGRES_PORT:-5432}:5432'",
      "      - '127.0.0.1:${BENCH_METRICS_PORT:-9464}:9464'",
    ]);
  });

  it('tells the worker, where nvidia-smi is not, which GPUs it may hand out', () => {
    const { services } = configSchema.parse(parse(compose(['config'], { BENCH_GPUS: '0,1' })));
    expect(services['worker']?.environment['BENCH_GPUS']).toBe('0,1');
    expect(services['control']?.environment).not.toHaveProperty('BENCH_GPUS');
  });

  it('starts workers after the migrations have ended well, restarts what serves, and gives keys to the role that calls', () => {
    const { services } = configSchema.parse(parse(compose(['config'], { OPENAI_API_KEY: 'canary' })));
    for (const name of ['control', 'worker']) {
      expect(services[name]?.depends_on).toMatchObject({
        migrate: { condition: 'service_completed_successfully' },
        temporal: { condition: 'service_healthy' },
      });
    }
    for (const [name, { restart }] of Object.entries(services))
      expect(restart, name).toBe(name === 'migrate' ? 'no' : 'unless-stopped');
    const withKey = Object.entries(services).filter(
      ([, { environment }]) => environment['OPENAI_API_KEY'] === 'canary',
    );
    expect(withKey.map(([name]) => name)).toEqual(['control']);
  });
});

describe('the systemd units', () => {
  const folder = resolve(ROOT, 'deploy/systemd');
  const units = ['bench-worker.service', 'bench-migrate.service'];

  it.each(units)(
    '%s takes its secrets from a file, may write nothing but the home, and gains no privileges',
    (name) => {
      const text = readFileSync(resolve(folder, name), 'utf8');
      for (const line of ['EnvironmentFile=/etc/bench/bench.env', 'ProtectSystem=strict', 'ReadWritePaths=/srv/bench'])
        expect(text).toContain(line);
      expect(text).toMatch(/^NoNewPrivileges=true$/m);
      expect(text).toMatch(/^CapabilityBoundingSet=$/m);
      expect(text).not.toMatch(/(KEY|PASSWORD|TOKEN)=./);
    },
  );

  it('are accepted by systemd, where it is there to ask', () => {
    if (spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status !== 0) {
      process.stderr.write('systemd-analyze is not installed: the units are not verified\n');
      return;
    }
    const dir = mkdtempSync(join(tmpdir(), 'bench-units-'));
    try {
      // It insists on programs that are there.
      const copies = units.map((name) => {
        const text = readFileSync(resolve(folder, name), 'utf8').replaceAll('/usr/bin/node', process.execPath);
        writeFileSync(join(dir, name), text);
        return join(dir, name);
      });
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...copies], { encoding: 'utf8' });
      expect(stderr.split('\n').filter((line) => line.includes('bench-'))).toEqual([]);
      expect(status, stderr).toBe(0);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
