import type pg from 'pg';
import type { RunDefinition } from '../../domain/run/run.js';
import { draftNote, draftsOf, type SiblingDraft } from '../../domain/tree/draft-note.js';
import type { SearchSpec } from '../../domain/tree/spec.js';

const DRAFTS = `select case when $2 then -n.value else n.value end as score, n.status = 'open' as open,
    coalesce(string_agg(s.thought, E'\n' order by s.step) filter (where s.thought <> ''), '') as thoughts
  from tree_nodes n left join steps s on s.run_id = n.run_id and s.executed_at is not null
  where n.tree_run_id = $1 and n.operator = 'draft' and n.status <> 'lost'
  group by n.node, n.value, n.status order by n.node`;

/** Of the next draft, with what is known of those before it. Null: the tree has but one. */
export async function noteOfDraft(
  client: pg.PoolClient,
  { runId, task }: RunDefinition,
  spec: SearchSpec,
): Promise<string | null> {
  const of = draftsOf(spec);
  const minimized = task.metrics[task.primary]?.direction === 'minimize';
  const { rows: siblings } = await client.query<SiblingDraft>(DRAFTS, [runId, minimized]);
  if (of === 1 && siblings.length === 0) return null;
  return draftNote({ nth: siblings.length + 1, of, steps: spec.nodeSteps, metric: task.primary, siblings });
}
