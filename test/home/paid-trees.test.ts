import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUsd, compareUsd } from '../../domain/model/price.js';
import type { TreeDocument } from '../../domain/views/tree.js';
import { killServiceOnceItRuns } from '../chaos/kill-service.js';
import { playPolicy, type ProviderSimulator, startProviderSimulator } from '../fakes/provider-simulator/index.js';
import { BenchHome } from '../setup/bench-home.js';
import { treeAgent } from '../setup/tree-agent.js';

const AGENTS = {
  greedy: '{ policy: greedy, drafts: 8, width: 8, nodes: 20, nodeSteps: 4, parallel: 8 }',
};
const COST_LIMIT = '1.6';
const TOKEN_LIMIT = 900_000;

let simulator: ProviderSimulator;
let home: BenchHome;
beforeAll(async () => {
  simulator = await startProviderSimulator({
    behaviour: playPolicy('climber'),
    priceOf: () => ({ input: 2.5, cachedInput: 1.25, cacheWrite: 2.5, output: 10 }),
  });
  home = new BenchHome({ OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: simulator.openAiBaseUrl });
  const configs = join(home.dir, 'configs');
  cpSync(home.env['BENCH_CONFIGS'] ?? '', configs, { recursive: true });
  for (const [name, search] of Object.entries(AGENTS))
    writeFileSync(join(configs, `agents/tree-${name}.yaml`), treeAgent(join(configs, 'agents'), search));
  home.env['BENCH_CONFIGS'] = configs;
});
afterAll(async () => {
  await home.remove();
  await simulator.close();
});

interface Call extends Record<string, unknown> {
  id: string;
  status: string;
  cost: string | null;
  reserved: string;
}

/** Play a tree; what it cost, and the most that it was charged and had in flight meanwhile. */
async function played(agent: keyof typeof AGENTS, meanwhile: () => Promise<void> = async () => undefined) {
  const before = simulator.bill.entries.length;
  const { batchId, runs } = await home.json<{ batchId: string; runs: { runId: string }[] }>(
    ...['submit', '--models', 'gpt-4o', '--agent', `tree-${agent}`, '--tasks', 'battleOfSexes', '--backend', 'local'],
    ...[
      '--attempts',
      '1',
      '--seed',
      '3',
      '--temperature',
      '0.7',
      '--cost-limit',
      COST_LIMIT,
      '--token-limit',
      String(TOKEN_LIMIT),
    ],
  );
  const runId = runs[0]!.runId;
  const most = { usd: '0', tokens: 0, open: 0 };
  let over = false;
  const looking = (async () => {
    while (!over) {
      const [seen] = await home.sql<{ usd: string; tokens: number; open: number }>(
        `select trim_scale(charged_usd)::text as usd, charged_tokens::float8 as tokens,
           (select count(*)::int from tree_nodes n join runs r on r.run_id = n.run_id
            where n.tree_run_id = t.run_id and r.status in ('running', 'finishing')) as open
         from tree_totals t where run_id = $1`,
        [runId],
      );
      if (seen !== undefined) {
        if (compareUsd(seen.usd, most.usd) > 0) most.usd = seen.usd;
        most.tokens = Math.max(most.tokens, seen.tokens);
        most.open = Math.max(most.open, seen.open);
      }
      await sleep(100);
    }
  })();
  await meanwhile();
  await home.run('watch', batchId);
  over = true;
  await looking;
  const calls = await home.sql<Call>(
    `select c.run_id || '/' || c.step || '/' || c.try || '/' || c.attempt as id, c.status, trim_scale(c.cost_usd)::text as cost,
       trim_scale(c.reserved_usd)::text as reserved
     from model_calls c where c.run_id = $1 or c.run_id in (select run_id from tree_nodes where tree_run_id = $1)`,
    [runId],
  );
  const [run] = await home.sql<{ cost: string; end: string }>(
    'select trim_scale(cost_usd)::text as cost, end_reason as end from runs where run_id = $1',
    [runId],
  );
  const tree = await home.json<TreeDocument>('tree', runId);
  return { tree, run: run!, calls, most, bill: simulator.bill.entries.slice(before) };
}

/** Call by call: confirmed calls cost their bill; all else billed is reserved here at least. */
function expectEqualBill({ calls, bill }: Pick<Awaited<ReturnType<typeof played>>, 'calls' | 'bill'>): void {
  const billed = new Map(bill.map((entry) => [entry.callId, entry.costUsd]));
  for (const { id, status, cost, reserved } of calls) {
    const usd = billed.get(id);
    if (status === 'confirmed') expect(usd, id).toBe(cost);
    else if (usd !== undefined) {
      expect(status, id).toBe('unconfirmed');
      expect(compareUsd(usd, reserved), id).toBeLessThanOrEqual(0);
    }
  }
  const known = new Set(calls.map(({ id }) => id));
  expect(bill.filter(({ callId }) => !known.has(callId ?? ''))).toEqual([]);
}

const sum = (amounts: readonly (string | null)[]): string => addUsd('0', ...amounts.map((one) => one ?? '0'));

describe('a tree of a paid model', () => {
  it('with eight nodes in flight costs what the provider bills, and never reserves more than it may', async () => {
    const came = await played('greedy');
    const { tree, run, calls, most, bill } = came;
    expect(tree.nodes.some(({ operator }) => operator === 'improve')).toBe(true);
    expect(most.open).toBe(8);
    expect(compareUsd(most.usd, COST_LIMIT)).toBeLessThanOrEqual(0);
    expect(most.tokens).toBeLessThanOrEqual(TOKEN_LIMIT);
    expectEqualBill(came);
    expect(calls.every(({ status }) => status === 'confirmed')).toBe(true);
    const billed = sum(bill.map(({ costUsd }) => costUsd));
    expect([tree.charged.costUsd, run.cost, sum(tree.nodes.map(({ spentUsd }) => spentUsd))]).toEqual(
      Array(3).fill(billed),
    );
    expect(run.end).toBe('submit');
  });

  it('stays within its limits while the provider fails, cuts answers off, and the worker is killed', async () => {
    const play = playPolicy('climber');
    simulator.behave((request) =>
      request.number % 7 === 0
        ? { kind: 'server_error', status: 504 }
        : request.number % 11 === 0
          ? { kind: 'cut_in_body' }
          : play(request),
    );
    const from = simulator.requests.length;
    const came = await played('greedy', async () => {
      await expect.poll(() => simulator.requests.length, { timeout: 300_000 }).toBeGreaterThan(from + 10);
      await killServiceOnceItRuns(home, 'worker');
    });
    const { tree, run, calls, most, bill } = came;
    expectEqualBill(came);
    expect(compareUsd(most.usd, COST_LIMIT)).toBeLessThanOrEqual(0);
    expect(most.tokens).toBeLessThanOrEqual(TOKEN_LIMIT);
    const lost = calls.filter(({ status }) => status === 'unconfirmed');
    expect(lost.length).toBeGreaterThan(0);
    expect(tree.charged.costUsd).toBe(sum([run.cost, ...lost.map(({ reserved }) => reserved)]));
    expect(compareUsd(sum(bill.map(({ costUsd }) => costUsd)), tree.charged.costUsd)).toBeLessThanOrEqual(0);
  });
});
