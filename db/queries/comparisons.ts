import { BenchError } from '../../domain/errors.js';
import { profileMeant } from '../../domain/task/profile.js';
import type { Statements } from '../statements.js';
import type { SavedComparisonState } from '../../domain/views/leaderboard.js';
import type { FrozenOptions, SavedComparison } from '../../domain/views/comparisons.js';
import { RANKED_BATCH } from './summaries.js';

/** The tasks' baselines, as an argument of leaderboard(). */
export const baselinesOf = ({ tasks, baselines }: Pick<FrozenOptions, 'tasks' | 'baselines'>): (number | null)[] =>
  tasks.map((task) => baselines[task] ?? null);

/** Arguments of leaderboard(): baselines' standard errors, and targets. Null: not kept. */
export const scalesOf = ({
  tasks,
  standardErrors,
  targets,
}: Pick<FrozenOptions, 'tasks' | 'standardErrors' | 'targets'>): ((number | null)[] | null)[] =>
  [standardErrors, targets].map((of) => (of === undefined ? null : tasks.map((task) => of[task] ?? null)));

/** Tasks with their contracts, as an argument of leaderboard(). */
export const tasksAtContracts = ({ tasks, contracts }: Pick<FrozenOptions, 'tasks' | 'contracts'>): string[] =>
  tasks.map((task) => (contracts[task] === undefined ? task : `${task}@${contracts[task]}`));

interface ComparisonRow {
  name: string;
  options: FrozenOptions;
  created_at: Date;
}

const comparisonOf = ({ name, options, created_at }: ComparisonRow): SavedComparison => ({
  name,
  createdAt: created_at.toISOString(),
  options,
});

/** By name. */
export async function savedComparisons(run: Statements): Promise<SavedComparison[]> {
  const rows = await run<ComparisonRow>('savedComparisons', 'select * from saved_comparisons order by name', []);
  return rows.map(comparisonOf);
}

/** Throws BenchError (not_found) that lists the saved ones. */
export async function savedComparison(run: Statements, name: string): Promise<SavedComparison> {
  const all = await savedComparisons(run);
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new BenchError('not_found', `no comparison "${name}"`, {
    code: 'comparison.not_found',
    remedy:
      all.length === 0
        ? 'None is saved yet: `bench comparisons save <name>` saves what `bench leaderboard` would compare.'
        : `Saved: ${all.map((one) => one.name).join(', ')}`,
  });
}

/** Throws BenchError (usage) if the name is taken: a published comparison never changes. */
export async function saveComparison(run: Statements, name: string, options: FrozenOptions): Promise<SavedComparison> {
  const [row] = await run<ComparisonRow>(
    'saveComparison',
    `insert into saved_comparisons (name, options) values ($1, $2::jsonb) on conflict (name) do nothing returning *`,
    [name, JSON.stringify(options)],
  );
  if (row !== undefined) return comparisonOf(row);
  throw new BenchError('usage', `a comparison "${name}" already exists`, {
    code: 'comparison.name_taken',
    remedy: `Choose another name, or remove it: bench comparisons remove ${name}`,
  });
}

export async function removeComparison(run: Statements, name: string): Promise<void> {
  await savedComparison(run, name);
  await run('removeComparison', 'delete from saved_comparisons where name = $1', [name]);
}

/** Data that the comparison leaves out, and what was added or changed since. */
export async function comparisonState(
  run: Statements,
  { name, createdAt, options }: SavedComparison,
): Promise<SavedComparisonState> {
  const [state] = await run<Omit<SavedComparisonState, 'name' | 'createdAt'>>(
    'comparisonState',
    `with runs_at_contracts as (
       select r.model_name, r.task_id, r.contract, r.contract = t.contract as own, r.ended_at
       from runs r join unnest($2::text[], $6::int[]) t (task, contract) on t.task = r.task_id
       join task_versions v on v.content_hash = r.task_hash
       join versions_under($8) u on u.content_hash = r.task_hash
       join batches b on b.batch_id = r.batch_id
       where (r.sample = $7 or v.spec -> 'data' is null)
         and r.status = 'ended' and (r.model_kind = 'real' or $4) and (r.origin <> 'import' or $11)
         and (case when $5::text is null then ${RANKED_BATCH} else r.batch_id = $5 end)
         and (r.forked_from is null or is_own_attempt(r.run_id, $5))
     ),
     runs_of_tasks as (select * from runs_at_contracts r where r.own)
     select
       (select coalesce(json_agg(distinct r.model_name), '[]') from runs_of_tasks r where r.model_name <> all ($1))
         as "otherModels",
       (select coalesce(json_agg(json_build_object('model', n.model_name, 'task', n.task_id, 'runs', n.runs)
          order by n.model_name, n.task_id), '[]')
        from (
          select r.model_name, r.task_id, count(*) as runs from runs_of_tasks r
          where r.model_name = any ($1) and r.ended_at > $3::timestamptz group by r.model_name, r.task_id
        ) n) as "newRuns",
       (select coalesce(json_agg(json_build_object('task', c.task_id, 'contract', c.contract, 'runs', c.runs)
          order by c.task_id, c.contract), '[]')
        from (
          select r.task_id, r.contract, count(*) as runs from runs_at_contracts r
          where not r.own and r.model_name = any ($1) group by r.task_id, r.contract
        ) c) as "otherContracts",
       (select coalesce(json_agg(json_build_object('task', t.task, 'saved', t.baseline, 'now', n.baseline) order by t.task), '[]')
        from unnest($2::text[], $9::float8[]) t (task, baseline)
        join (
          select l.task,
            (array_agg(l.baseline order by l.isolation = 'import', l.baseline_at desc, l.baseline desc) filter (where l.baseline is not null))[1] as baseline
          from leaderboard_scores($5, $1, $10, null, false, $7, $8) l group by l.task
        ) n on n.task = t.task
        where n.baseline is distinct from t.baseline) as "changedBaselines"`,
    [
      options.models,
      options.tasks,
      createdAt,
      options.include?.includes('scripted') === true,
      options.batchId ?? null,
      options.tasks.map((task) => options.contracts[task]),
      options.sample ?? false,
      profileMeant(options.profile, options.sample ?? false),
      baselinesOf(options),
      tasksAtContracts(options),
      options.include?.includes('imported') === true,
    ],
  );
  const { otherModels = [], newRuns = [], otherContracts = [], changedBaselines = [] } = state ?? {};
  return { name, createdAt, otherModels, newRuns, otherContracts, changedBaselines };
}
