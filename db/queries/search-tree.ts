import type { ReportTree } from '../../domain/views/report.js';
import type { SearchTreeDocument, SearchTreeNode } from '../../domain/views/search-tree.js';
import type { Statements } from '../statements.js';

/** Columns of a tree, from `search_tree_totals` with the alias `t`. */
const TREE = `t.run_id as "runId", t.policy, t.stopped, t.chosen, t.final_score as "finalScore",
  jsonb_build_object('nodes', t.max_nodes, 'validations', t.max_validations, 'costUsd', trim_scale(t.cost_limit_usd)::text,
    'tokens', t.token_limit, 'seconds', t.seconds_limit) as limits,
  jsonb_build_object('nodes', t.nodes, 'validations', t.validations, 'costUsd', trim_scale(t.charged_usd)::text,
    'tokens', t.charged_tokens, 'seconds', t.charged_seconds) as charged,
  jsonb_build_object('answers', t.asked_answers, 'costUsd', trim_scale(t.asked_usd)::text, 'tokens', t.asked_tokens) as asked`;

/** Those of these runs that play trees. */
export const reportTrees = (run: Statements, runIds: readonly string[]): Promise<ReportTree[]> =>
  run<ReportTree>(
    'reportTrees',
    `select ${TREE}, jsonb_build_object('scored', t.scored, 'failed', t.failed, 'lost', t.lost, 'open', t.open) as came,
       t.waves, t.chosen_score as "chosenScore"
     from unnest($1::text[]) with ordinality given (run_id, nth) join search_tree_totals t on t.run_id = given.run_id order by nth`,
    [runIds],
  );

type Totals = Omit<SearchTreeDocument, 'nodes' | 'limits' | 'charged'> & {
  limits: SearchTreeDocument['limits'];
  charged: SearchTreeDocument['charged'];
};

/** A tree with its nodes, by its own run or that of one of its nodes. Null: the run plays none. */
export async function searchTree(run: Statements, runId: string): Promise<SearchTreeDocument | null> {
  const [tree] = await run<Totals>(
    'searchTree',
    `select ${TREE}, v.primary_metric as primary, v.direction, r.status
     from search_tree_totals t join runs r on r.run_id = t.run_id join task_versions v on v.content_hash = r.task_hash
     where t.run_id = coalesce((select n.tree_run_id from search_nodes n where n.run_id = $1), $1)`,
    [runId],
  );
  if (tree === undefined) return null;
  const nodes = await run<SearchTreeNode>(
    'searchTreeNodes',
    `select node, run_id as "runId", wave, operator, parent, mate, status, score, steps, run_status as "runStatus",
       end_reason as "endReason", trim_scale(reserved_usd)::text as "reservedUsd", trim_scale(spent_usd)::text as "spentUsd",
       spent_tokens::float8 as "spentTokens", spent_seconds as "spentSeconds"
     from search_tree_nodes where tree_run_id = $1 order by node`,
    [tree.runId],
  );
  return { ...tree, nodes };
}
