import type pg from 'pg';
import { BenchError } from '../domain/errors.js';
import type { DeletedRows, Deletion, Labels, RunsToDelete, StoredBytes } from '../domain/ports/deletion.js';
import { queryError } from './database-error.js';
import { inTransaction } from './in-transaction.js';
import { type Statements, statements } from './statements.js';
import { missingBatch } from './store/missing.js';

/** Their rows, in an order that no foreign key forbids; a test compares it with the schema. */
export const TABLES_OF_RUNS = [
  ...['captured_calls', 'rollouts', 'episode_actions', 'episodes', 'turns', 'program_steps', 'program_parts'],
  ...['program_counts', 'leases', 'memories', 'submissions', 'snapshots', 'evaluations', 'model_calls', 'steps'],
  ...['events', 'imports', 'images'],
] as const;

export function createDeletion(pool: pg.Pool): Deletion {
  const run = statements(pool, queryError);
  return {
    plan: (of) => planDeletion(run, of),
    count: (runs) => countRows(run, runs),
    bytes: (runs) => bytesOf(run, runs),
    remove: (runs, batchId) => remove(pool, runs, batchId),
    async archive(batchId, archived) {
      const rows = await run(
        'archiveBatch',
        `update batches set archived_at = case when $2 then coalesce(archived_at, now()) end where batch_id = $1 returning 1`,
        [batchId, archived],
      );
      if (rows.length === 0) throw missingBatch(batchId);
    },
    label: (of, labels) => label(run, of, labels),
  };
}

async function label(
  run: Statements,
  of: { runId: string } | { batchId: string },
  { note, tags = null }: Labels,
): Promise<void> {
  const [table, column, id] = 'runId' in of ? ['runs', 'run_id', of.runId] : ['batches', 'batch_id', of.batchId];
  await run(
    'label',
    `update ${table} set note = case when $2 then $3 else note end, tags = coalesce($4::text[], tags) where ${column} = $1`,
    [id, note !== undefined, note ?? null, tags],
  );
}

async function planDeletion(
  run: Statements,
  of: { runIds: readonly string[] } | { batchId: string },
): Promise<RunsToDelete> {
  const [named, batchId] = 'runIds' in of ? [of.runIds, null] : [[], of.batchId];
  const rows = await run<{ runId: string; status: string; batchId: string; treeRunId: string | null; open: boolean }>(
    'runsToDelete',
    `with recursive wanted as (
       select r.run_id from runs r where r.run_id = any ($1) or r.batch_id = $2
       union
       select n.run_id from wanted w join tree_nodes n on n.tree_run_id = w.run_id
     )
     select r.run_id as "runId", r.status, r.batch_id as "batchId", n.tree_run_id as "treeRunId",
       b.status in ('queued', 'running') and not b.training as open
     from wanted join runs r using (run_id) join batches b on b.batch_id = r.batch_id left join tree_nodes n on n.run_id = r.run_id
     order by r.run_id`,
    [named, batchId],
  );
  const runIds = rows.map(({ runId }) => runId);
  const unfinished = rows.find(({ status }) => status !== 'ended');
  if (unfinished !== undefined)
    refuse(`run ${unfinished.runId} has not ended`, `Cancel it first: \`bench cancel ${unfinished.runId}\`.`);
  const open = rows.find((row) => row.open);
  if (open !== undefined)
    refuse(`batch ${open.batchId} has not ended`, `Wait, or cancel it first: \`bench cancel ${open.batchId}\`.`);
  const node = rows.find(({ treeRunId }) => treeRunId !== null && !runIds.includes(treeRunId));
  if (node !== undefined)
    refuse(`run ${node.runId} is a node of the tree of ${node.treeRunId}`, 'Delete that run, with its whole tree.');
  const [other] = await run<{ runId: string; of: string; how: string }>(
    'runsThatRefer',
    `select r.run_id as "runId", coalesce(p.run_id, f.run_id) as of, case when p.run_id is null then 'forks' else 'repeats' end as how
     from runs r left join runs p on p.run_id = r.replaces and p.run_id = any ($1)
       left join runs f on f.run_id = r.forked_from and f.run_id = any ($1)
     where (p.run_id is not null or f.run_id is not null) and not r.run_id = any ($1) order by r.run_id limit 1`,
    [runIds],
  );
  if (other !== undefined) refuse(`run ${other.runId} ${other.how} run ${other.of}`, 'Delete both.');
  const [compared] = await run<{ name: string }>(
    'comparisonsOfBatch',
    `select s.name from saved_comparisons s where s.options ->> 'batchId' = $1 order by s.name limit 1`,
    [batchId],
  );
  if (compared !== undefined)
    refuse(
      `the saved comparison ${compared.name} is of this batch`,
      `Remove it first: \`bench comparisons remove ${compared.name}\`.`,
    );
  const trees = await run<{ batchId: string }>(
    'batchesOfTrees',
    `select t.batch_id as "batchId" from trees t where t.run_id = any ($1)`,
    [runIds],
  );
  return { runIds, batchIds: trees.map((tree) => tree.batchId) };
}

const refuse = (message: string, remedy: string): never => {
  throw new BenchError('usage', `${message}, so it cannot be deleted`, { code: 'run.in_use', remedy });
};

async function countRows(run: Statements, { runIds }: RunsToDelete): Promise<DeletedRows> {
  const count = (table: string, name: string): string =>
    `(select count(*)::int from ${table} t where t.run_id = any ($1)) as "${name}"`;
  const [row] = await run<DeletedRows>(
    'rowsToDelete',
    `select ${count('runs', 'runs')}, ${count('steps', 'steps')}, ${count('model_calls', 'modelCalls')},
       ${count('evaluations', 'evaluations')}, ${count('events', 'events')}, ${count('snapshots', 'snapshots')},
       (select trim_scale(coalesce(sum(r.cost_usd), 0))::text from runs r where r.run_id = any ($1) and r.origin = 'bench') as "costUsd"`,
    [runIds],
  );
  return row!;
}

async function bytesOf(run: Statements, { runIds }: RunsToDelete): Promise<StoredBytes> {
  const [row] = await run<StoredBytes>(
    'bytesToDelete',
    `select array(select distinct s.artifact from snapshots s where s.run_id = any ($1) and s.artifact is not null) as archives,
       array(select distinct s.disk from snapshots s where s.run_id = any ($1) and s.disk is not null) as disks,
       array(
         select e.submission_sha256 from evaluations e where e.run_id = any ($1) and e.submission_sha256 is not null
         union select u.sha256 from submissions u where u.run_id = any ($1) and u.sha256 is not null
       ) as manifests`,
    [runIds],
  );
  return row!;
}

async function remove(pool: pg.Pool, runs: RunsToDelete, batchId: string | null): Promise<void> {
  await inTransaction(pool, async (client) => {
    const of = [runs.runIds];
    await client.query(
      `insert into deleted_runs (run_id, batch_id, model_name, task_id, cost_usd, lost_usd, input_tokens, output_tokens, imported)
       select r.run_id, r.batch_id, r.model_name, r.task_id, r.cost_usd, coalesce((
         select sum(c.reserved_usd) from model_calls c where c.run_id = r.run_id and c.status in ('reserved', 'unconfirmed')
       ), 0), r.input_tokens, r.output_tokens, r.origin <> 'bench'
       from runs r where r.run_id = any ($1) on conflict (run_id) do nothing`,
      of,
    );
    await client.query('delete from tree_nodes where run_id = any ($1) or tree_run_id = any ($1)', of);
    await client.query('delete from trees where run_id = any ($1)', of);
    for (const table of TABLES_OF_RUNS) await client.query(`delete from ${table} where run_id = any ($1)`, of);
    const { rowCount } = await client.query(`delete from runs where run_id = any ($1) and status = 'ended'`, of);
    if (rowCount !== runs.runIds.length)
      refuse('one of these runs has started again, or is deleted already', 'Look at it, then run the command again.');
    const batchIds = [...runs.batchIds, ...(batchId === null ? [] : [batchId])];
    await client.query('delete from events where batch_id = any ($1)', [batchIds]);
    // Nights of schedules go with their batches; a later one is compared with one of before.
    await client.query('update schedule_runs set base_batch_id = null where base_batch_id = any ($1)', [batchIds]);
    await client.query('delete from schedule_runs where batch_id = any ($1)', [batchIds]);
    await client.query('delete from batches where batch_id = any ($1)', [batchIds]);
  });
}
