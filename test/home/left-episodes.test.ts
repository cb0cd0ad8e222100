import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectEngine } from '../../backends/docker/engine.js';
import { engineAddress } from '../../backends/docker/engine-address.js';
import { processesWith } from '../engine/evaluation-job.js';
import { BenchHome } from '../setup/bench-home.js';
import { EnvServer } from '../setup/env-server.js';
import { LONG } from '../setup/long.js';

const SESSIONS = LONG ? 1000 : 12;
const AT_ONCE = 12;
/** The long form in containers, which must be gone, too. */
const BACKEND = LONG ? ['--backend', 'docker'] : [];
/** Told apart from all others. */
const NAP = `600.${process.pid}`;

let home: BenchHome;
let server: EnvServer;
beforeAll(async () => {
  home = new BenchHome();
  server = new EnvServer(home, ['--capacity', String(SESSIONS), ...BACKEND]);
  await server.start();
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

/** A trainer that is killed before its first action, between actions, or in the middle of one. */
async function cutOff(kind: number): Promise<void> {
  const reset = { task: 'battleOfSexes', idle_s: 3 };
  const begun = await server.ask<{ episode_id: string }>('POST', '/v1/episodes', reset);
  expect(begun.status).toBe(201);
  if (kind === 0) return;
  const path = `/v1/episodes/${begun.body.episode_id}/step`;
  if (kind === 1) await server.ask('POST', path, { action: 'true', action_seq: 1 });
  else {
    const leave = new AbortController();
    const asked = fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: `sleep ${NAP}`, action_seq: 1 }),
      signal: leave.signal,
    }).catch(() => undefined);
    await expect.poll(() => seqOf(begun.body.episode_id), { timeout: 120_000 }).toBe(1);
    leave.abort();
    await asked;
  }
}

/** Of this home's runs, whatever their state. */
async function containers(): Promise<string[]> {
  if (!LONG) return [];
  const docker = connectEngine(engineAddress('docker', process.env));
  const all = await docker.listContainers({ all: true, filters: { label: ['bench.run'] } });
  const runs = new Set((await home.sql<{ run_id: string }>('select run_id from runs')).map((run) => run.run_id));
  return all.map((one) => one.Labels['bench.run'] ?? '').filter((run) => runs.has(run));
}

/** From the rows: asking the server would say that somebody is there. */
async function seqOf(id: string): Promise<number | undefined> {
  const [row] = await home.sql<{ seq: number }>('select seq from episodes where episode_id = $1', [id]);
  return row?.seq;
}

test(`${SESSIONS} sessions whose clients are gone leave neither a run, a process nor a slot`, async () => {
  let next = 0;
  const trainer = async (): Promise<void> => {
    for (let n = next++; n < SESSIONS; n = next++) await cutOff(n % 3);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, SESSIONS) }, trainer));
  const open = async () =>
    (await home.sql<{ runs: number }>(`select count(*)::int as runs from runs where status <> 'ended'`))[0]?.runs;
  // Idle time, and what ending takes: seconds of it on a quiet machine.
  await expect.poll(open, { timeout: 600_000, interval: 500 }).toBe(0);
  expect(await home.sql(`select end_reason, count(*)::int as runs from runs group by 1`)).toEqual([
    { end_reason: 'cancelled', runs: SESSIONS },
  ]);
  await expect.poll(() => processesWith(NAP), { timeout: 120_000 }).toEqual([]);
  await expect.poll(containers, { timeout: 120_000 }).toEqual([]);
  const [left] = await home.sql<{ worst: number; gone: number }>(
    `select max(extract(epoch from r.ended_at - e.expires_at))::float8 as worst, extract(epoch from now() - max(e.expires_at))::float8 as gone
     from runs r join episodes e using (run_id)`,
  );
  console.info(
    `after the grace: each run ended within ${left?.worst.toFixed(1)} s, of the last one nothing was left in ${left?.gone.toFixed(1)} s`,
  );
  await expect.poll(() => processesWith(`${home.dir}/runs/`), { timeout: 120_000 }).toEqual([]);
  const slots = await Promise.all(
    Array.from({ length: AT_ONCE }, () => server.ask('POST', '/v1/episodes', { task: 'battleOfSexes' })),
  );
  expect(slots.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(201));
});
