import type pg from 'pg';
import type { RunDefinition } from '../../domain/run/run.js';
import { childNote } from '../../domain/tree/child-note.js';
import type { Choice } from '../../domain/tree/tree.js';
import { SHOWN } from './settle-node.js';

/** The tree's run gets this node's steps and its submission, which alone is tested. */
export async function copySelected(client: pg.PoolClient, treeRunId: string, nodeRunId: string): Promise<void> {
  const both = [treeRunId, nodeRunId];
  await client.query(
    `insert into steps (run_id, step, response, thought, action, model_ms, created_at, observation, exit_code, timed_out,
       lost, output_bytes, requested, working_dir, tool_state, command_ms, executed_at, reasoning)
     select $1, s.step, s.response, s.thought, s.action, s.model_ms, s.created_at, s.observation, s.exit_code,
       s.timed_out, s.lost, s.output_bytes, s.requested, s.working_dir, s.tool_state, s.command_ms, s.executed_at, s.reasoning
     from steps s where s.run_id = $2 and s.executed_at is not null
     on conflict do nothing`,
    both,
  );
  await client.query(
    `insert into images (run_id, image_id, step, type, bytes)
     select $1, i.image_id, i.step, i.type, i.bytes from images i where i.run_id = $2
     on conflict do nothing`,
    both,
  );
  await client.query(
    `with own as (
       ${SHOWN} and e.run_id = $2 order by e.number desc limit 1
     )
     insert into evaluations (run_id, step, kind, split, number, status, metrics, primary_score, suspect, message,
       submission_sha256, isolation, evaluator_version, contract, ms, created_at, ended_at)
     select $1, e.step, 'submit', e.split, 1, case e.split when 'test' then 'pending' else e.status end,
       case e.split when 'test' then null else e.metrics end, case e.split when 'test' then null else e.primary_score end,
       e.split <> 'test' and e.suspect, '', e.submission_sha256, e.isolation, e.evaluator_version, e.contract, e.ms, e.created_at,
       case e.split when 'test' then null else e.ended_at end
     from own join evaluations e on e.run_id = $2 and e.step = own.step and e.kind = own.kind and e.split in ('test', 'validation')
     on conflict do nothing`,
    both,
  );
  // A run without isolation taints its line for good.
  await client.query(
    `with recursive line as (
       select run_id, forked_from, isolation from runs where run_id = $2
       union all
       select r.run_id, r.forked_from, r.isolation from line l join runs r on r.run_id = l.forked_from
     )
     update runs t set isolation = case when exists (select from line where isolation = 'none') then 'none' else n.isolation end,
       workspace = n.workspace, workspace_limit = n.workspace_limit, image_digest = n.image_digest, status = 'finishing',
       updated_at = now()
     from runs n where t.run_id = $1 and n.run_id = $2 and t.status <> 'ended'`,
    both,
  );
}

/** Notes follow the last message that the new nodes' parents saw. */
export async function addNotes(
  client: pg.PoolClient,
  root: RunDefinition,
  steps: number,
  opened: readonly { choice: Choice; run: RunDefinition }[],
): Promise<void> {
  const scores = new Map<number, number | null>();
  const scoreOf = async (node: number): Promise<number | null> => {
    const known = scores.get(node);
    if (known !== undefined) return known;
    const { rows } = await client.query<{ value: number | null }>(
      'select value from tree_nodes where tree_run_id = $1 and node = $2',
      [root.runId, node],
    );
    const value = rows[0]?.value ?? null;
    const shown = value !== null && root.task.metrics[root.task.primary]?.direction === 'minimize' ? -value : value;
    scores.set(node, shown);
    return shown;
  };
  for (const { choice, run } of opened) {
    if (choice.parent === null || run.forkedFrom === undefined) continue;
    const others: { score: number | null; work: Awaited<ReturnType<typeof workOf>> }[] = [];
    for (const node of [choice.secondParent, ...(choice.more ?? [])])
      if (node !== null) others.push({ score: await scoreOf(node), work: await workOf(client, root.runId, node) });
    const note = childNote({
      ...{ operator: choice.operator, steps, metric: root.task.primary, parent: await scoreOf(choice.parent), others },
    });
    await client.query(
      `update steps set observation = case when coalesce(observation, '') = '' then $3
         when observation like E'%\\n' then observation || $3 else observation || E'\\n' || $3 end
       where run_id = $1 and step = $2`,
      [run.runId, run.forkedFrom.step, note],
    );
  }
}

async function workOf(
  client: pg.PoolClient,
  treeRunId: string,
  node: number,
): Promise<{ thought: string; action: string }[]> {
  const { rows } = await client.query<{ thought: string; action: string }>(
    `select s.thought, s.action from tree_nodes n join steps s on s.run_id = n.run_id
     where n.tree_run_id = $1 and n.node = $2 and s.executed_at is not null and s.action is not null order by s.step`,
    [treeRunId, node],
  );
  return rows;
}
