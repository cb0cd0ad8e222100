import type { TreeDocument, TreeNodeDocument } from '../../domain/views/tree.js';
import type { Statements } from '../statements.js';

/** Columns of a tree, from `tree_totals` with the alias `t`. */
const TREE = `t.run_id as "runId", t.policy, t.stopped, t.selected_node as "selectedNode", t.final_score as "finalScore",
  jsonb_build_object('nodes', t.max_nodes, 'validations', t.max_validations, 'costUsd', trim_scale(t.cost_limit_usd)::text,
    'tokens', t.token_limit, 'seconds', t.seconds_limit) as limits,
  jsonb_build_object('nodes', t.nodes, 'validations', t.validations, 'costUsd', trim_scale(t.charged_usd)::text,
    'tokens', t.charged_tokens, 'seconds', t.charged_seconds) as charged`;

type Totals = Omit<TreeDocument, 'nodes' | 'limits' | 'charged'> & {
  limits: TreeDocument['limits'];
  charged: TreeDocument['charged'];
};

/** A tree with its nodes, by its own run or that of one of its nodes. Null: the run plays none. */
export async function tree(run: Statements, runId: string): Promise<TreeDocument | null> {
  const [tree] = await run<Totals>(
    'tree',
    `select ${TREE}, v.primary_metric as primary, v.direction, r.status
     from tree_totals t join runs r on r.run_id = t.run_id join task_versions v on v.content_hash = r.task_hash
     where t.run_id = coalesce((select n.tree_run_id from tree_nodes n where n.run_id = $1), $1)`,
    [runId],
  );
  if (tree === undefined) return null;
  const nodes = await run<TreeNodeDocument>(
    'treeNodes',
    `select node, run_id as "runId", wave, operator, parent, second_parent as "secondParent", status, score, steps, run_status as "runStatus",
       end_reason as "endReason", trim_scale(reserved_usd)::text as "reservedUsd", trim_scale(spent_usd)::text as "spentUsd",
       spent_tokens::float8 as "spentTokens", spent_seconds as "spentSeconds"
     from tree_node_results where tree_run_id = $1 order by node`,
    [tree.runId],
  );
  return { ...tree, nodes };
}
