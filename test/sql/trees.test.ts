import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { modelConfigSchema } from '../../domain/model/config.js';
import { compareUsd } from '../../domain/model/price.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { nodeRunId } from '../../domain/tree/node-ids.js';
import { callModel, type ModelCallPorts } from '../../models/call-model.js';
import { createOpenAiModel } from '../../models/openai.js';
import type { Bench } from '../../operations/bench.js';
import { cancelBatch } from '../../operations/batches/cancel-batch.js';
import { type ProviderSimulator, startProviderSimulator } from '../fakes/provider-simulator/index.js';
import { evaluate, SUBMITTED } from '../fixtures/rows.js';
import { playNode, treeRun } from '../fixtures/tree-rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { oneWorker } from '../fakes/one-worker.js';

const server = sharedDatabases();
let db: Database;
let pool: pg.Pool;
let simulator: ProviderSimulator;
beforeAll(async () => {
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url, { max: 12 });
  pool = new pg.Pool({ connectionString: url, max: 1 });
  simulator = await startProviderSimulator({
    // Longer and shorter answers, so that shares are used up at different moments.
    behaviour: ({ number }) =>
      number % 7 === 0
        ? { kind: 'server_error', status: 504 }
        : { kind: 'reply', text: 'word '.repeat((number * 37) % 90) },
  });
});
afterAll(async () => {
  await simulator.close();
  await pool.end();
  await db.close();
});

const config = modelConfigSchema.parse({
  ...{ schema: 1, description: 'test', provider: 'openai', model: 'gpt-4o', apiKeyVariable: 'OPENAI_API_KEY' },
  ...{ contextWindow: 100_000, maxOutputTokens: 200, sampling: { maxOutputTokens: 100 } },
  prices: [{ from: '2024-01-01', input: 1, output: 5 }],
});
type Rest<Of> = Of extends (db: Database, ...rest: infer More) => unknown ? More : never;
const tree = (...given: Rest<typeof treeRun>) => treeRun(db, ...given);
const plays = (...given: Rest<typeof playNode>) => playNode(db, ...given);
const shown = async (runId: string) => (await db.queries.tree(runId))!;
const opened = async (runId: string) => (await db.store.openNodes(runId)).tickets.map((ticket) => ticket.runId);

describe('a tree of forks', () => {
  test('opens the same wave for whoever asks, with ids of its own, and the next one when all are settled', async () => {
    const { runId } = await tree({ policy: 'greedy', drafts: 3, nodes: 5, parallel: 8 });
    const wave = Array.from({ length: 3 }, (_, node) => nodeRunId(runId, node)).toSorted();
    const asked = await Promise.all(Array.from({ length: 6 }, () => opened(runId)));
    expect(asked.map((ids) => ids.toSorted())).toEqual(asked.map(() => wave));
    const { tickets } = await db.store.openNodes(runId);
    expect(tickets[0]).toMatchObject({ node: true, search: false, hiddenSplit: false, maxSteps: 15 });
    for (const [node, score] of [1, 3, 2].entries()) {
      expect((await opened(runId)).toSorted()).toEqual(wave.filter((id) => !settledBefore(runId, node).includes(id)));
      await plays(nodeRunId(runId, node), score);
    }
    // The best is improved: it begins with its step, and is told of its score.
    const [child] = await opened(runId);
    expect(child).toBe(nodeRunId(runId, 3));
    expect(await db.store.definition(child!)).toMatchObject({
      ...{ forkedFrom: { runId: nodeRunId(runId, 1), step: 1 }, maxSteps: 16, node: true },
    });
    const [copied] = await db.queries.trajectory(child!);
    expect(copied?.observation).toMatch(/^o1\n.*score: 3.*scores score 3 on validation/s);
  });

  test('tells a draft of those before it, and its number where they are made at once', async () => {
    const { runId } = await tree({ policy: 'greedy', drafts: 3, nodes: 4, parallel: 2 });
    const noteOf = async (node: number) => (await db.store.definition(nodeRunId(runId, node))).draftNote;
    await opened(runId);
    expect(await noteOf(0)).toMatch(/draft 1 of 3.*take number 1\./s);
    expect(await noteOf(1)).toMatch(/draft 2 of 3.*take number 2\./s);
    for (const [node, score] of [1, 3].entries()) await plays(nodeRunId(runId, node), score);
    await opened(runId);
    expect(await noteOf(2)).toMatch(/draft 3 of 3.*\n- score 1: .*\n- score 3: /s);
    await plays(nodeRunId(runId, 2), 2);
    await opened(runId);
    expect(await noteOf(3)).toBeUndefined();
  });

  test('combines the best of its drafts in its last node, whose prompt has what the others did', async () => {
    const { runId } = await tree({ policy: 'greedy', drafts: 3, nodes: 5, parallel: 8, ensemble: 3 });
    await opened(runId);
    for (const [node, score] of [1, 3, 2].entries()) await plays(nodeRunId(runId, node), score);
    expect(await opened(runId)).toEqual([nodeRunId(runId, 3)]);
    await plays(nodeRunId(runId, 3), 2.5);
    expect(await opened(runId)).toEqual([nodeRunId(runId, 4)]);
    const { nodes } = await shown(runId);
    expect(nodes[4]).toMatchObject({ operator: 'ensemble', parent: 1, secondParent: 2 });
    const [copied] = await db.queries.trajectory(nodeRunId(runId, 4));
    expect(copied?.observation).toMatch(/scores score 3 on validation.*merge what they give.*score 2\..*score 1\./s);
    await plays(nodeRunId(runId, 4), 4);
    expect(await opened(runId)).toEqual([]);
  });

  test('opens a node as soon as another has ended, if it says so', async () => {
    const { runId } = await tree({ policy: 'greedy', drafts: 3, nodes: 5, parallel: 2, asynchronous: true });
    const ids = [0, 1, 2, 3, 4].map((node) => nodeRunId(runId, node));
    const openNow = async () => (await opened(runId)).map((id) => ids.indexOf(id)).toSorted();
    expect(await openNow()).toEqual([0, 1]);
    expect(await openNow()).toEqual([0, 1]);
    await plays(ids[1]!, 3);
    expect(await openNow()).toEqual([0, 2]);
    await plays(ids[2]!, 2);
    // The best so far is improved, though the first draft is not known.
    expect(await openNow()).toEqual([0, 3]);
    expect((await db.store.definition(ids[3]!)).forkedFrom?.runId).toBe(ids[1]);
    await plays(ids[3]!, 1);
    expect(await openNow()).toEqual([0, 4]);
    for (const node of [4, 0]) await plays(ids[node]!, 2);
    expect(await openNow()).toEqual([]);
  });

  test('whose workflow is gone is ended with its batch, its open nodes too', async () => {
    const { runId, batchId } = await tree({ policy: 'greedy', drafts: 2, nodes: 4, parallel: 2 });
    const nodes = await opened(runId);
    await db.store.evaluationNumber(nodes[0]!, 1, 'validate');
    const gone = Object.assign(new Error('no such workflow'), { name: 'WorkflowNotFoundError' });
    const temporal = { workflow: { getHandle: () => ({ cancel: () => Promise.reject(gone) }) } };
    const bench = { ...db, database: async () => db, temporal: async () => temporal } as unknown as Bench;
    await cancelBatch(bench, batchId);
    const { rows } = await pool.query<{ status: string }>(
      `select status from runs where run_id = any ($1)
       union all select status from batches where batch_id = $2 or parent_batch = $2`,
      [[runId, ...nodes], batchId],
    );
    expect(rows.map(({ status }) => status).toSorted()).toEqual(['cancelled', 'ended', 'ended', 'ended', 'ended']);
    const open = await pool.query(
      `select run_id from tree_nodes where tree_run_id = $1 and status = 'open'
       union all select run_id from evaluations where run_id = any ($2) and status = 'pending'`,
      [runId, nodes],
    );
    expect(open.rows).toEqual([]);
  });

  test('stands for its best node: its submission is tested once, and no other', async () => {
    const { runId, batchId } = await tree({ policy: 'greedy', drafts: 3, nodes: 3, parallel: 3 });
    await opened(runId);
    for (const [node, score] of [5, 9, null].entries()) await plays(nodeRunId(runId, node), score);
    expect(await opened(runId)).toEqual([]);
    const choices = await Promise.all([db.store.chooseNode(runId), db.store.chooseNode(runId)]);
    expect(choices).toEqual(
      choices.map(() => ({ chosen: true, stopped: 'nodes', lastEnd: 'submit', lastCause: null })),
    );
    const best = nodeRunId(runId, 1);
    const pending = await db.store.nextHidden(runId);
    expect(pending).toMatchObject({ step: 1, kind: 'submit', number: 1, submissionSha256: `sha-${best}` });
    // It gets a place for that test alone: no sandbox starts there, wherever it waited before.
    const { status } = await shown(runId);
    expect(status).toBe('finishing');
    expect(await db.store.placeRun({ runId, epoch: 1 })).toMatchObject({ kind: 'none' });
    expect(await shown(runId)).toMatchObject({ status: 'waiting_host' });
    await db.store.registerHost({
      ...{ hostId: 'h', hostname: 'h', cpus: 2, memoryMb: 8000, gpus: [], backends: ['docker', 'local'], slots: 2 },
      ...{ homeId: 'home-of-h', heartbeatSeconds: 10 },
    });
    expect(await db.store.placeRun({ runId, epoch: 1 })).toMatchObject({ hostId: 'h' });
    expect(await shown(runId)).toMatchObject({ status: 'finishing' });
    await evaluate(db, runId, 1, 'submit', 8, { submissionSha256: `sha-${best}` });
    expect(await db.store.nextHidden(runId)).toBeNull();
    await db.store.closeTree(runId);
    await db.store.finishRun(runId, SUBMITTED);
    expect(await shown(runId)).toMatchObject({
      ...{ selectedNode: 1, finalScore: 8, stopped: 'nodes' },
      nodes: [{ status: 'scored' }, { status: 'scored', score: 9 }, { status: 'failed', score: null }],
    });
    const board = await db.queries.leaderboard({ models: ['m'], include: ['scripted'] });
    const cells = await db.queries.listRuns({ batchId });
    expect(cells.map((one) => one.runId)).toEqual([runId]);
    expect(JSON.stringify(board)).not.toContain(best);
    // Nodes are no batch and no runs of anybody's list.
    expect((await db.queries.listBatches()).batches.map((one) => one.batchId)).toContain(batchId);
    expect((await db.queries.listRuns()).map((one) => one.runId)).not.toContain(best);
  });

  test('a submission that is its parent’s is none, and what was cancelled leads nowhere', async () => {
    const { runId } = await tree({ policy: 'linear', nodes: 3, parallel: 1 });
    await opened(runId);
    await plays(nodeRunId(runId, 0), 4, 'same');
    await opened(runId);
    await plays(nodeRunId(runId, 1), 4, 'same');
    await opened(runId);
    await db.store.closeTree(runId);
    expect((await shown(runId)).nodes).toMatchObject([
      { status: 'scored' },
      { status: 'failed', operator: 'improve' },
      { status: 'lost', operator: 'debug', endReason: 'cancelled' },
    ]);
  });

  test('with eight nodes in flight never spends, reserves or asks more than it may', async () => {
    const limit = '0.02';
    const spec = { policy: 'greedy', drafts: 8, width: 8, nodes: 24, validations: 20, parallel: 8 } as const;
    const root = await tree(
      spec,
      {
        ...{ costLimitUsd: limit, tokenLimit: 30_000, sampling: {} },
        model: { name: 'real', kind: 'real', provider: 'openai', model: 'gpt-4o', config },
      },
      '1',
    );
    const ports: ModelCallPorts = {
      store: db.store,
      models: new Map([['openai', createOpenAiModel({ config, apiKey: 'sk-test', baseUrl: simulator.openAiBaseUrl })]]),
      worker: oneWorker,
      governor: { acquire: () => Promise.reject(new Error('no limits here')), flush: () => Promise.resolve() },
    };
    const most = { usd: '0', tokens: 0, inFlight: 0 };
    let inFlight = 0;
    const play = async (runId: string, nth: number): Promise<void> => {
      inFlight += 1;
      most.inFlight = Math.max(most.inFlight, inFlight);
      const definition: RunDefinition = await db.store.definition(runId);
      const first = definition.forkedFrom?.step ?? 0;
      for (let step = first + 1; ; step += 1) {
        const prompt = { messages: [{ role: 'user' as const, content: 'word '.repeat(1 + ((step + nth) % 40)) }] };
        const turn = await callModel(
          ports,
          definition,
          { runId, step, try: 0 },
          prompt,
          new AbortController().signal,
        ).catch((error: unknown) => error as Error);
        const { charged } = await shown(root.runId);
        if (compareUsd(charged.costUsd, most.usd) > 0) most.usd = charged.costUsd;
        most.tokens = Math.max(most.tokens, charged.tokens);
        // Lost answers may use up what a node has: then it is nobody's fault.
        if (turn instanceof Error ? turn.name === 'Unrecoverable' : turn.kind === 'end') break;
      }
      inFlight -= 1;
      if (nth % 5 === 4) {
        await db.store.finishRun(runId, { endReason: 'infra_error', finalEvaluation: 'not_run', detail: null });
        await db.store.settleNode(runId);
      } else await plays(runId, nth);
    };
    for (let nth = 0; ;) {
      const wave = await opened(root.runId);
      if (wave.length === 0) break;
      await Promise.all(wave.map((runId) => play(runId, nth++)));
    }
    const found = await shown(root.runId);
    expect(most.inFlight).toBe(8);
    expect(compareUsd(most.usd, limit)).toBeLessThanOrEqual(0);
    expect(most.tokens).toBeLessThanOrEqual(30_000);
    expect(found.charged.validations).toBeLessThanOrEqual(20);
    expect(found.nodes.length).toBeLessThanOrEqual(24);
    // What came of it is what was bought, call by call; all of it is the attempt's.
    const {
      rows: [sums],
    } = await pool.query<{ nodes: string; root: string; batch: string; lost: string }>(
      `select sum(n.spent_usd)::text as nodes, max(r.cost_usd)::text as root, max(b.charged_usd)::text as batch,
         (select coalesce(sum(c.reserved_usd), 0) from model_calls c join tree_nodes o on o.run_id = c.run_id
          where o.tree_run_id = '${root.runId}' and c.status in ('reserved', 'unconfirmed'))::text as lost
       from tree_nodes n join runs r on r.run_id = n.tree_run_id join batches b on b.batch_id = r.batch_id
       where n.tree_run_id = '${root.runId}'`,
    );
    expect(Number(sums!.nodes)).toBeCloseTo(Number(sums!.root) + Number(sums!.lost), 9);
    expect(Number(sums!.batch)).toBeCloseTo(Number(sums!.nodes), 9);
    expect(Number(sums!.root)).toBeCloseTo(
      simulator.bill.entries
        .filter(({ delivered }) => delivered)
        .reduce((sum, { costUsd }) => sum + Number(costUsd), 0),
      9,
    );
  });
});

test('of an earlier version’s policy is shown and charged as before, and is not played', async () => {
  const root = await tree({ policy: 'greedy', drafts: 1, nodes: 3, parallel: 1 });
  const { runId } = root;
  const [node] = await opened(runId);
  await plays(node!, 4);
  await pool.query(
    `with old as (
       insert into agent_configs (hash, name, content)
       select 'old-' || hash, name, jsonb_set(content, '{search}', '{"policy": "scientist", "drafts": 1}') from agent_configs
       where hash = $2
       returning hash
     ), asked as (
       insert into model_calls (run_id, step, try, attempt, provider, model, request_hash, request_messages, status, cost_usd, reserved_usd, input_tokens, output_tokens, ms)
       values ($1, 0, 3, 1, 'openai', 'm', 'h', 0, 'confirmed', 0.25, 0.5, 10, 5, 1000)
     ), changed as (update trees set policy = 'scientist' where run_id = $1)
     update runs set agent_hash = old.hash from old where run_id in ($1, $3)`,
    [runId, root.agentHash, node],
  );
  expect(await shown(runId)).toMatchObject({ policy: 'scientist', charged: { costUsd: '0.25', tokens: 15 } });
  expect(await db.queries.playedAs(node!)).toMatchObject({ agentName: root.agentName, node: true });
  await expect(opened(runId)).rejects.toThrow(/has a policy or key of an earlier version/);
});

const settledBefore = (treeRunId: string, node: number): string[] =>
  Array.from({ length: node }, (_, earlier) => nodeRunId(treeRunId, earlier));
