import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openDatabase } from '../../db/index.js';
import type { TreeDocument } from '../../domain/views/tree.js';
import { BenchHome } from '../setup/bench-home.js';
import { pick, seededRandom } from '../setup/random.js';
import { treeAgent } from '../setup/tree-agent.js';
import { killService, type Victim } from './kill-service.js';

// The moments of the kills come from this seed; BENCH_CHAOS_SEED tries others.
const SEED = Number(process.env['BENCH_CHAOS_SEED'] ?? 25);
const KILLS = Number(process.env['BENCH_TREE_KILLS'] ?? 20);
const VICTIMS: Victim[] = ['worker', 'worker', 'worker', 'temporal', 'postgres'];

/** Two homes with one secret and one configuration: equal runs draw the same games in both. */
let quiet: BenchHome;
let stormy: BenchHome;
beforeAll(() => {
  quiet = new BenchHome();
  const configs = join(quiet.dir, 'configs');
  cpSync(quiet.env['BENCH_CONFIGS'] ?? '', configs, { recursive: true });
  const agents = join(configs, 'agents');
  const search = '{ policy: evolution, population: 4, nodes: 24, nodeSteps: 4, parallel: 4 }';
  writeFileSync(join(agents, 'tree.yaml'), treeAgent(agents, search));
  quiet.env['BENCH_CONFIGS'] = configs;
  stormy = new BenchHome({ BENCH_CONFIGS: configs });
});
afterAll(async () => {
  await stormy.remove();
  await quiet.remove();
});

const SUBMIT = ['--tasks', 'battleOfSexes', '--backend', 'local', '--attempts', '1', '--seed', '11'];

/** All that kills must not change. */
async function cameOf(home: BenchHome, runId: string) {
  const { charged, ...tree } = await home.json<TreeDocument>('tree', runId);
  const calls = await home.sql(
    `select n.node, count(*)::int as answers, sum(c.input_tokens)::int as input, sum(c.output_tokens)::int as output
     from tree_nodes n join model_calls c on c.run_id = n.run_id and c.status = 'confirmed'
     where n.tree_run_id = $1 group by n.node order by n.node`,
    [runId],
  );
  const evaluations = await home.sql(
    `select coalesce(n.node, -1) as node, e.step, e.kind, e.number, e.status, e.primary_score, e.submission_sha256
     from evaluations e left join tree_nodes n on n.run_id = e.run_id
     where e.run_id = $1 or n.tree_run_id = $1 order by 1, e.number`,
    [runId],
  );
  const commands = await home.sql(
    `select n.node, s.step, s.action, s.exit_code from tree_nodes n join steps s on s.run_id = n.run_id
     where n.tree_run_id = $1 order by n.node, s.step`,
    [runId],
  );
  const nodes = tree.nodes.map(({ spentSeconds: _clock, ...node }) => node);
  return { ...tree, nodes, spent: { ...charged, seconds: null }, calls, evaluations, commands };
}

it('the same tree comes of it, whatever is killed meanwhile', async () => {
  const submitted = await quiet.json<{ batchId: string; runs: { runId: string }[] }>(
    ...['submit', '--models', 'scripted:climber', '--agent', 'tree', ...SUBMIT, '--wait'],
  );
  const runId = submitted.runs[0]!.runId;
  const expected = await cameOf(quiet, runId);
  expect(expected.nodes).toHaveLength(24);

  const [secret] = await quiet.sql<{ key: string }>('select key from evaluator_key');
  // Its database takes over what an earlier version would have left there.
  writeFileSync(join(stormy.dir, 'secret'), `${secret!.key}\n`);
  // Freezes the task there.
  await stormy.json('submit', '--models', 'scripted:baseline', '--agent', 'default', ...SUBMIT, '--wait');
  const from = openDatabase((await quiet.json<{ databaseUrl: string }>('up')).databaseUrl);
  const to = openDatabase((await stormy.json<{ databaseUrl: string }>('up')).databaseUrl);
  try {
    const run = await from.store.definition(runId);
    const { batchId, seed } = run;
    await to.intake.submit({
      batch: { batchId, name: null, spec: {}, seed, concurrency: 2, budgetUsd: null, harnessVersion: '0.1.0' },
      runs: [run],
    });
  } finally {
    await from.close();
    await to.close();
  }
  await stormy.json('resume', submitted.batchId);

  const random = seededRandom(SEED);
  const open = async () => {
    const [row] = await stormy.sql<{ open: boolean }>(`select status <> 'ended' as open from runs where run_id = $1`, [
      runId,
    ]);
    return row?.open === true;
  };
  const kills: Victim[] = [];
  while (kills.length < KILLS && (await open())) {
    const victim = pick(random, VICTIMS);
    if (killService(stormy, victim)) kills.push(victim);
    await sleep(1_000 + random() * 4_000);
  }
  console.warn(`killed: ${kills.join(', ')}`);
  await vi.waitFor(
    async () => {
      if (await open()) throw new Error('the tree is not over');
    },
    { timeout: 900_000, interval: 1_000 },
  );
  expect(kills.length).toBeGreaterThanOrEqual(Math.min(KILLS, 3));
  expect(await cameOf(stormy, runId)).toEqual(expected);
});
