import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { homeLayout } from '../../domain/home/layout.js';
import { homeTag } from '../../operations/home/home-identity.js';
import { killService } from '../chaos/kill-service.js';
import { BenchHome } from '../setup/bench-home.js';
import { EnvServer } from '../setup/env-server.js';

let home: BenchHome;
let server: EnvServer;
beforeAll(async () => {
  home = new BenchHome();
  home.env['BENCH_WARM_SANDBOXES'] = '1';
  server = new EnvServer(home, ['--backend', 'docker']);
  await server.start();
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

/** Names of this home's containers that run. */
const containers = (): string[] => {
  const label = `label=bench.home=${homeTag(homeLayout(home.dir))}`;
  return execFileSync('docker', ['ps', '-a', '--filter', label, '--format', '{{.Names}}'], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
};
const begin = async (): Promise<string> =>
  (await server.ask<{ episode_id: string }>('POST', '/v1/episodes', { task: 'battleOfSexes' })).body.episode_id;
const act = (id: string, action: string, seq: number) =>
  server.ask('POST', `/v1/episodes/${id}/step`, { action, action_seq: seq });
const standing = async (): Promise<string | undefined> =>
  (
    await home.sql<{ id: string }>(
      'select run_id as id from warm_sandboxes where ready_at is not null and claimed_at is null',
    )
  )[0]?.id;

test('an episode takes the sandbox that was started ahead for it; one that nobody took goes with its worker', async () => {
  const first = await begin();
  expect((await act(first, 'echo cold > mark; ls', 1)).status).toBe(200);
  await expect.poll(standing, { timeout: 120_000 }).toBeDefined();
  const ahead = await standing();

  const second = await begin();
  expect(second).toBe(ahead);
  const step = await act(second, 'ls', 1);
  expect(step.status).toBe(200);
  // Its own world: nothing of the episode before, all of the task.
  expect(JSON.stringify(step.body)).toContain('strategy.py');
  expect(JSON.stringify(step.body)).not.toContain('mark');
  expect(containers().filter((name) => name.includes(second))).toHaveLength(1);
  expect(await home.sql(`select kind from events where run_id = $1 and kind like 'sandbox%'`, [second])).toEqual([]);

  // Killed while one stands: the next worker knows nothing of it, and the reaper removes it.
  await expect.poll(standing, { timeout: 120_000 }).toBeDefined();
  const orphan = (await standing()) ?? '';
  killService(home, 'worker');
  await expect.poll(() => containers().some((name) => name.includes(orphan)), { timeout: 180_000 }).toBe(false);
  // The episodes go on.
  expect(JSON.stringify((await act(first, 'cat mark', 2)).body)).toContain('cold');

  for (const id of [first, second]) await server.ask('DELETE', `/v1/episodes/${id}`);
  await server.stop();
  // Whether or not the episodes have ended by now.
  expect((await home.run('down', '--force')).exitCode).toBe(0);
  expect(containers().filter((name) => !name.includes(first) && !name.includes(second))).toEqual([]);
});
