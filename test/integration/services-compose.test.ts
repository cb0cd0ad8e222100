import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = resolve(import.meta.dirname, '../..');

/** The plugin, or the older program of the same purpose. */
function compose(args: readonly string[], env: Record<string, string>): string {
  const hasPlugin = spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status === 0;
  const [program, ...first] = hasPlugin ? ['docker', 'compose'] : ['docker-compose'];
  const options = { cwd: ROOT, env: { ...process.env, ...env }, encoding: 'utf8' as const };
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
      environment: z.record(z.string(), z.unknown()),
      volumes: z.array(z.unknown()).optional(),
    }),
  ),
});

describe('docker-compose.yml', () => {
  it('is accepted, and brings PostgreSQL, Temporal, its page and a worker, all pinned', () => {
    const { services } = configSchema.parse(parse(compose(['config'], {})));
    expect(Object.keys(services).sort()).toEqual(['postgres', 'temporal', 'temporal-ui', 'worker']);
    for (const [name, { image }] of Object.entries(services)) {
      if (name !== 'worker') expect(image).toMatch(/:[\w.-]*\d[\w.-]*$/);
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
});
