import type { IntegrityRule } from '../../domain/run/integrity-rules.js';
import { DEFAULT_PROFILE } from '../../domain/task/profile.js';
import type { Statements } from '../statements.js';
import type { ModelConfig } from '../../domain/model/config.js';
import { isFree, priceAt } from '../../domain/model/price.js';
import type { Leaderboard, LeaderboardRow } from '../../domain/views/leaderboard.js';
import { RANKED_BATCH } from './summaries.js';

type Id = Pick<LeaderboardRow, 'model' | 'kind' | 'isolation'>;
type PricedModel = Leaderboard['comparison']['prices'][number];

/** How a leaderboard's runs are selected, in the order of the statements' parameters. */
export interface Selection {
  batchId: string | null;
  tasks: readonly string[];
  contracts: readonly number[];
  models: readonly string[];
  /** Runs on sample data instead of real data; tasks without data count in both. */
  sample: boolean;
  /** Profile under which they were played, where their tasks have it. */
  profile: string;
}

const parametersOf = ({ batchId, tasks, contracts, models, sample, profile }: Selection) => [
  batchId,
  tasks,
  contracts,
  models,
  sample,
  profile,
];

/** Selects runs as leaderboard_scores() does. One table of versions: a join scans them per run. */
const SELECTED = `
  join unnest($2::text[], $3::int[]) t (task, contract) on t.task = r.task_id and t.contract = r.contract
  join (
    select v.content_hash, v.spec -> 'data' is not null as needs_data
    from task_versions v join versions_under($6) u on u.content_hash = v.content_hash offset 0
  ) v on v.content_hash = r.task_hash and (r.sample = $5 or not v.needs_data)
  join batches b on b.batch_id = r.batch_id
  where (case when $1::text is null then ${RANKED_BATCH} else r.batch_id = $1 end) and r.model_name = any ($4)
    and (r.forked_from is null or is_own_attempt(r.run_id, $1))`;

/** Whether any score is flagged, in the batch or at all. */
export async function anyFlagged(run: Statements, batchId: string | null): Promise<boolean> {
  const [found] = await run<{ any: boolean }>(
    'anyFlagged',
    `select exists (
       select from run_results t join runs r on r.run_id = t.run_id where t.suspects > 0 and ($1::text is null or r.batch_id = $1)
     ) as any`,
    [batchId],
  );
  return found?.any === true;
}

/** How many runs of each row have each rule's flag. */
export async function flaggedRuns(
  run: Statements,
  selection: Selection,
): Promise<(Id & { rule: IntegrityRule; runs: number })[]> {
  return run(
    'flaggedRuns',
    `select r.model_name as model, r.model_kind as kind, i.isolation, m.rule, count(*)::int as runs
     from integrity_flags m join runs r on r.run_id = m.run_id
     left join run_results o on o.run_id = r.run_id
     cross join lateral (
       -- As score_runs() says it.
       select case
         when r.origin = 'import' then 'import'
         when r.isolation = 'none' or r.isolation is null and r.backend = 'local' or o.without_isolation
         then 'none' else 'container' end as isolation
     ) i
     ${SELECTED}
     group by 1, 2, 3, 4 order by array_position('{protected_write,self_reported,no_model_call,test_beats_validation,beyond_bounds}', m.rule)`,
    parametersOf(selection),
  );
}

/** US dollars, decimal strings; null: not known. */
interface RecordedCost extends Id {
  /** Imported runs, whose cost this home was not charged, and those whose harness recorded one. */
  runs: number;
  priced: number;
  totalUsd: string | null;
}

interface ListCost extends Id {
  totalUsd: string | null;
  perRunUsd: string | null;
  /** Ended runs without a list price or a record of their tokens. */
  unknown: number;
}

const ROW = `r.model_name as model, r.model_kind as kind,
  case r.origin when 'import' then 'import' else coalesce(r.isolation, 'container') end as isolation`;

/** Costs that this home was not charged; list prices only beside recorded ones. */
export async function rowCosts(
  run: Statements,
  selection: Selection,
): Promise<{ recorded: RecordedCost[]; list: string | null; listed: ListCost[] }> {
  const recorded = await run<RecordedCost>(
    'recordedCosts',
    `select ${ROW}, count(*)::int as runs, count(r.recorded_cost_usd)::int as priced,
       trim_scale(sum(r.recorded_cost_usd))::text as "totalUsd"
     from runs r ${SELECTED} and (r.origin = 'mlgym' or r.origin = 'import' and r.recorded_cost_usd is not null)
     group by 1, 2, 3`,
    parametersOf(selection),
  );
  if (recorded.every(({ totalUsd }) => totalUsd === null)) return { recorded, list: null, listed: [] };
  // The list that has prices for most of the models: each harness records by prices of its own.
  const [found] = await run<{ list: string }>(
    'priceList',
    `select p.list from price_lists p where p.model = any ($1) group by 1 order by count(distinct p.model) desc, 1 limit 1`,
    [selection.models],
  );
  if (found === undefined) return { recorded, list: null, listed: [] };
  const listed = await run<ListCost>(
    'listCosts',
    `select ${ROW}, trim_scale(round(sum(c.list_usd), 10))::text as "totalUsd",
       trim_scale(round(avg(c.list_usd), 10))::text as "perRunUsd",
       count(*) filter (
         where r.status = 'ended' and c.list_usd is null
           and not exists (select from tree_nodes n where n.run_id = r.run_id)
       )::int as unknown
     from runs r left join run_costs($7) c on c.run_id = r.run_id ${SELECTED}
     group by 1, 2, 3`,
    [...parametersOf(selection), found.list],
  );
  return { recorded, list: found.list, listed };
}

/** Of models that cost something: since when their price holds, and when it was last compared. */
export async function modelPrices(run: Statements, models: readonly string[]): Promise<PricedModel[]> {
  const files = await run<{ model: string; prices: ModelConfig['prices']; checked: string | null }>(
    'modelPrices',
    `select distinct on (m.name) m.name as model, m.content -> 'prices' as prices, m.content ->> 'pricesChecked' as checked
     from model_configs m where m.name = any ($1) order by m.name, m.created_at desc`,
    [models],
  );
  return files.flatMap(({ model, prices, checked }) => {
    const price = isFree(prices) ? null : priceAt(prices, new Date());
    return price === null ? [] : [{ model, from: price.from, checked }];
  });
}

/** A row's cost over all its runs, of one kind. Null: none is known. */
export function rowCost(
  row: { ended: number; costUsd: string | null; costPerRunUsd: string | null },
  recorded: RecordedCost | undefined,
  listed: ListCost | undefined,
): Pick<LeaderboardRow, 'costUsd' | 'costPerRunUsd' | 'costKind' | 'unknownCosts'> {
  const charged = { costUsd: row.costUsd, costPerRunUsd: row.costPerRunUsd, costKind: 'charged' as const };
  if (recorded === undefined) return { ...charged, unknownCosts: 0 };
  const own = row.ended - recorded.runs;
  const unknownCosts = recorded.runs - recorded.priced;
  if (recorded.totalUsd === null) {
    const usd = Number(row.costUsd);
    return {
      ...charged,
      costUsd: usd === 0 && own <= 0 ? null : row.costUsd,
      costPerRunUsd: perRun(usd, own),
      unknownCosts,
    };
  }
  if (listed !== undefined && listed.totalUsd !== null)
    return {
      ...{ costUsd: listed.totalUsd, costPerRunUsd: listed.perRunUsd, costKind: 'list' },
      unknownCosts: listed.unknown,
    };
  const total = Number(row.costUsd) + Number(recorded.totalUsd);
  return {
    ...{ costUsd: decimal(total), costPerRunUsd: perRun(total, own + recorded.priced), costKind: 'recorded' },
    unknownCosts,
  };
}

const perRun = (usd: number, runs: number): string | null => (runs <= 0 ? null : decimal(usd / runs));

const decimal = (usd: number): string => String(Number(usd.toFixed(10)));

/** Runs left out because they were played under another profile. Null tasks or models: all. */
export async function otherProfiles(
  run: Statements,
  {
    batchId,
    tasks,
    models,
    sample,
    profile,
    includeScripted,
  }: Pick<Selection, 'batchId' | 'sample' | 'profile'> & {
    tasks: readonly string[] | null;
    models: readonly string[] | null;
    includeScripted: boolean;
  },
): Promise<{ profile: string; runs: number }[]> {
  return run(
    'otherProfiles',
    `select coalesce(v.spec ->> 'profile', '${DEFAULT_PROFILE}') as profile, count(*)::int as runs
     from (select content_hash from task_versions except select content_hash from versions_under($5)) other
     join task_versions v on v.content_hash = other.content_hash
     join runs r on r.task_id = v.task_id and r.task_hash = v.content_hash
     join batches b on b.batch_id = r.batch_id
     where r.status = 'ended' and (r.model_kind = 'real' or $6) and (r.sample = $4 or v.spec -> 'data' is null)
       and (case when $1::text is null then ${RANKED_BATCH} else r.batch_id = $1 end)
       and ($2::text[] is null or r.task_id = any ($2) or r.task_id || '@' || r.contract = any ($2))
       and ($3::text[] is null or r.model_name = any ($3))
       and (r.forked_from is null or is_own_attempt(r.run_id, $1))
     group by 1 order by 1`,
    [batchId, tasks, models, sample, profile, includeScripted],
  );
}
