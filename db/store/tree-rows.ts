import type pg from 'pg';
import type { EndCause } from '../../domain/run/end-cause.js';
import type { EndReason } from '../../domain/run/outcomes.js';
import { roomIn, type TreeCharges, type TreeStop } from '../../domain/tree/budget.js';
import type { TreeNode } from '../../domain/tree/tree.js';

export interface TreeRow {
  batchId: string;
  maxNodes: number;
  maxValidations: number;
  costLimitUsd: string | null;
  tokenLimit: number;
  secondsLimit: number;
  stopped: TreeStop | null;
  selectedNode: number | null;
}

export interface NodeRow extends TreeNode {
  runId: string;
  wave: number;
  /** Its last step that was executed. */
  lastStep: number;
  endReason: EndReason | null;
  endCause: EndCause | null;
  ended: boolean;
}

const TREE = `select batch_id as "batchId", max_nodes as "maxNodes", max_validations as "maxValidations",
    trim_scale(cost_limit_usd)::text as "costLimitUsd", token_limit::float8 as "tokenLimit", seconds_limit as "secondsLimit",
    stopped, selected_node as "selectedNode"
  from trees where run_id = $1 for update`;

const NODES = `select n.node as index, n.operator, n.parent, n.second_parent as "secondParent", n.status, n.value, n.run_id as "runId", n.wave,
    r.end_reason as "endReason", r.end_cause as "endCause", r.status = 'ended' as ended,
    coalesce((select max(s.step) from steps s where s.run_id = n.run_id and s.executed_at is not null), 0) as "lastStep"
  from tree_nodes n join runs r on r.run_id = n.run_id where n.tree_run_id = $1 order by n.node`;

/** What open nodes may still use counts as used. */
const CHARGES = `select count(*)::int as nodes, coalesce(sum(coalesce(validations, 1)), 0)::int as validations,
    trim_scale(coalesce(sum(coalesce(spent_usd, reserved_usd)), 0))::text as "costUsd",
    coalesce(sum(coalesce(spent_tokens, reserved_tokens)), 0)::float8 as tokens,
    coalesce(sum(coalesce(spent_seconds, reserved_seconds)), 0)::float8 as seconds
  from tree_nodes where tree_run_id = $1`;

export async function lockedTree(client: pg.PoolClient, treeRunId: string): Promise<TreeRow | undefined> {
  return (await client.query<TreeRow>(TREE, [treeRunId])).rows[0];
}

export async function nodesOf(client: pg.PoolClient, treeRunId: string): Promise<NodeRow[]> {
  return (await client.query<NodeRow>(NODES, [treeRunId])).rows;
}

/** What is left of a tree's limits. */
export async function roomOf(
  client: pg.PoolClient,
  treeRunId: string,
  tree: TreeRow,
): Promise<ReturnType<typeof roomIn>> {
  const { rows } = await client.query<TreeCharges>(CHARGES, [treeRunId]);
  const limits = {
    nodes: tree.maxNodes,
    validations: tree.maxValidations,
    costUsd: tree.costLimitUsd,
    tokens: tree.tokenLimit,
    seconds: tree.secondsLimit,
  };
  return roomIn(limits, rows[0]!);
}
