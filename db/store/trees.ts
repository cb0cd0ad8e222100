import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { BenchError } from '../../domain/errors.js';
import type { Wave } from '../../domain/model/messages.js';
import type { Trees } from '../../domain/ports/record/trees.js';
import type { RunDefinition, RunTicket } from '../../domain/run/run.js';
import { nextWave } from '../../domain/tree/next-wave.js';
import { nodeRunId, nodeSeed, nodesBatchId } from '../../domain/tree/node-ids.js';
import type { NodeShare, TreeStop } from '../../domain/tree/budget.js';
import { SEARCH_POLICIES, type SearchSpec } from '../../domain/tree/spec.js';
import { type Choice, Tree } from '../../domain/tree/tree.js';
import { storeError } from '../database-error.js';
import { inTransaction } from '../in-transaction.js';
import { statements } from '../statements.js';
import { insertRuns } from '../submission.js';
import { noteOfDraft } from './draft-notes.js';
import { addNotes, copySelected } from './selected-node.js';
import { definitionReader, TICKETS } from './definitions.js';
import { lifecycleStore } from './lifecycle/index.js';
import { missingRun } from './missing.js';
import { settle } from './settle-node.js';
import { lockedTree, type NodeRow, nodesOf, roomOf } from './tree-rows.js';

/** Trees of forks. A change locks the tree's row, so that all others find what was decided. */
export function treeStore(pool: pg.Pool): Trees {
  const run = statements(pool, storeError);
  const definitionOf = definitionReader(run);
  const lifecycle = lifecycleStore(run);
  const locked = async <T>(operation: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    try {
      return await inTransaction(pool, work);
    } catch (error) {
      throw storeError(operation, error);
    }
  };
  const waveOf = async (runIds: readonly string[]): Promise<Wave> => {
    if (runIds.length === 0) return { tickets: [], ended: [] };
    const rows = await run<RunTicket & { ended: boolean }>(
      'nodeTickets',
      `select t.*, o.status = 'ended' as ended from (${TICKETS} where r.run_id = any ($1)) t join runs o on o.run_id = t."runId"
       order by t."runId"`,
      [runIds],
    );
    return {
      tickets: rows.flatMap(({ ended, ...ticket }) => (ended ? [] : [ticket])),
      ended: rows.flatMap(({ ended, runId }) => (ended ? [runId] : [])),
    };
  };
  return {
    async openNodes(treeRunId) {
      const root = (await definitionOf(treeRunId)).read();
      const { search } = root.agent;
      if (search === undefined)
        throw new BenchError(
          'usage',
          `the search block of agent ${root.agentName} has a policy or key of an earlier version`,
          {
            remedy: `Submit it again with an agent whose policy is ${SEARCH_POLICIES.join(' or ')}.`,
          },
        );
      return waveOf(await locked('openNodes', (client) => openNext(client, root, search)));
    },

    settleNode: (nodeRunId) => locked('settleNode', (client) => settle(client, nodeRunId)),

    chooseNode: (treeRunId) =>
      locked('chooseNode', async (client) => {
        const tree = await lockedTree(client, treeRunId);
        const nodes = await nodesOf(client, treeRunId);
        const last = { lastEnd: nodes.at(-1)?.endReason ?? null, lastCause: nodes.at(-1)?.endCause ?? null };
        if (tree === undefined) return { chosen: false, stopped: null, ...last };
        if (tree.selectedNode !== null) return { chosen: true, stopped: tree.stopped, ...last };
        const { best } = new Tree(nodes);
        if (best === null) return { chosen: false, stopped: tree.stopped, ...last };
        await copySelected(client, treeRunId, nodes[best.index]!.runId);
        await client.query('update trees set selected_node = $2 where run_id = $1', [treeRunId, best.index]);
        return { chosen: true, stopped: tree.stopped, ...last };
      }),

    async closeTree(treeRunId) {
      const open = await run<{ runId: string }>(
        'openOfTree',
        `select run_id as "runId" from tree_nodes where tree_run_id = $1 and status = 'open' order by node`,
        [treeRunId],
      );
      await lifecycle.finishRuns(
        open.map(({ runId }) => runId),
        { endReason: 'cancelled', finalEvaluation: 'not_run', detail: null },
      );
      for (const { runId } of open) await locked('settleNode', (client) => settle(client, runId));
      await run(
        'closeTree',
        `with stopped as (
           update trees set stopped_at = coalesce(stopped_at, now()) where run_id = $1 returning batch_id
         )
         update batches b set status = 'ended', ended_at = coalesce(ended_at, now()) from stopped
         where b.batch_id = stopped.batch_id and b.status in ('queued', 'running')`,
        [treeRunId],
      );
    },
  };
}

/** Runs of the nodes that are open now. */
async function openNext(client: pg.PoolClient, root: RunDefinition, spec: SearchSpec): Promise<string[]> {
  const { runId } = root;
  const version = await begin(client, root, spec);
  if (version === null) return [];
  const tree = await lockedTree(client, runId);
  if (tree === undefined) throw new Error(`run ${runId}: its tree was not stored`);
  if (tree.stopped !== null) return [];
  const nodes = await nodesOf(client, runId);
  const open = nodes.filter(({ status }) => status === 'open');
  const openIds = open.map((node) => node.runId);
  if (open.length > 0 && spec.asynchronous !== true) return openIds;
  const { nodes: room, share, stop } = await roomOf(client, runId, tree);
  const budget = nodes.some(({ endReason }) => endReason === 'budget');
  const choices =
    budget || stop !== null
      ? []
      : nextWave(spec, nodes, root.seed, { room: Math.min(spec.parallel - open.length, room), left: room });
  if (choices.length === 0 && open.length > 0) return openIds;
  if (choices.length === 0) {
    const why: TreeStop = budget ? 'budget' : (stop ?? (nodes.at(-1)?.status === 'lost' ? 'lost' : 'policy'));
    await client.query('update trees set stopped = $2, stopped_at = now() where run_id = $1', [runId, why]);
    return [];
  }
  await openAll(client, { root, spec, nodes, choices, share, version });
  return [...openIds, ...choices.map((_, nth) => nodeRunId(runId, nodes.length + nth))];
}

/** Inserts the tree; its run is playing. Null: it has ended. Else its version at submission. */
async function begin(client: pg.PoolClient, root: RunDefinition, spec: SearchSpec): Promise<string | null> {
  const { runId, batchId, costLimitUsd = null, tokenLimit = 0, wallSeconds } = root;
  const { rows } = await client.query<{ status: string; version: string }>(
    'select status, harness_version as version from runs where run_id = $1 for update',
    [runId],
  );
  const [row] = rows;
  if (row === undefined) throw missingRun(runId);
  if (row.status === 'ended') return null;
  const nodesBatch = nodesBatchId(runId);
  await client.query(
    `insert into batches (batch_id, spec, seed, concurrency, priority, status, started_at, parent_batch)
     select $2, jsonb_build_object('treeOf', $1::text), $3, $4, b.priority, 'running', now(), b.batch_id
     from batches b where b.batch_id = $5
     on conflict do nothing`,
    [runId, nodesBatch, root.seed, spec.parallel, batchId],
  );
  await client.query(
    `insert into trees (run_id, batch_id, policy, max_nodes, max_validations, cost_limit_usd, token_limit, seconds_limit)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [
      ...[runId, nodesBatch, spec.policy, spec.nodes, spec.validations ?? spec.nodes],
      ...[costLimitUsd, tokenLimit, wallSeconds],
    ],
  );
  await client.query(
    `update runs set status = 'running', started_at = coalesce(started_at, now()), updated_at = now()
     where run_id = $1 and status = 'queued'`,
    [runId],
  );
  return row.version;
}

interface Opened {
  root: RunDefinition;
  spec: SearchSpec;
  nodes: readonly NodeRow[];
  choices: readonly Choice[];
  share: NodeShare;
  version: string;
}

async function openAll(client: pg.PoolClient, { root, spec, nodes, choices, share, version }: Opened): Promise<void> {
  const first = nodes.length;
  const { forkedFrom: _none, ...definition } = root;
  const opened = choices.map((choice, nth): { choice: Choice; index: number; run: RunDefinition } => {
    const index = first + nth;
    const parent = choice.parent === null ? null : nodes[choice.parent]!;
    const run: RunDefinition = {
      ...definition,
      runId: nodeRunId(root.runId, index),
      batchId: nodesBatchId(root.runId),
      attempt: index + 1,
      seed: nodeSeed(root.seed, index),
      maxSteps: (parent?.lastStep ?? 0) + spec.nodeSteps,
      wallSeconds: share.seconds,
      costLimitUsd: share.costUsd,
      tokenLimit: share.tokens,
      ...(parent === null ? {} : { forkedFrom: { runId: parent.runId, step: parent.lastStep } }),
    };
    return { choice, index, run };
  });
  const runs = opened.map(({ run }) => run);
  await insertRuns(drizzle(client), runs, { ordinal: first, shard: 0 }, version);
  const wave = (nodes.at(-1)?.wave ?? 0) + 1;
  for (const { choice, index, run } of opened) {
    const note = choice.operator === 'draft' ? await noteOfDraft(client, root, spec) : null;
    await client.query(
      `insert into tree_nodes (tree_run_id, node, run_id, wave, operator, parent, second_parent, note, reserved_usd, reserved_tokens,
         reserved_seconds)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        ...[root.runId, index, run.runId, wave, choice.operator, choice.parent, choice.secondParent, note],
        ...[share.costUsd, share.tokens, share.seconds],
      ],
    );
  }
  await addNotes(client, root, spec.nodeSteps, opened);
}
