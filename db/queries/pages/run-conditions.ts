import type { RunFacet, RunSelection } from '../../../domain/requests/run-filter.js';
import { OWN_BATCH } from '../summaries.js';

/** SQL for a run's value of each facet, over the relations of `RUN_RELATIONS`; `''`: no value. */
export const FACET_VALUES: Readonly<Record<Exclude<RunFacet, 'flag'>, string>> = {
  model: 'r.model_name',
  task: 'r.task_id',
  batch: 'r.batch_id',
  agent: 'r.agent_name',
  host: `coalesce(r.host_id, '')`,
  profile: `coalesce(v.profile, '')`,
  status: 'r.status',
  endReason: `coalesce(r.end_reason, '')`,
  outcome: `coalesce((select x.outcome from run_exits x where x.run_id = r.run_id), '')`,
  isolation: `coalesce(r.isolation, '')`,
  backend: 'r.backend',
  kind: 'r.model_kind',
  origin: 'r.origin',
  sample: 'r.sample::text',
};

/** A run's flags, `{''}` without one. */
export const FLAGS = `coalesce((select array_agg(m.rule) from integrity_flags m where m.run_id = r.run_id), '{""}')`;

/** Of task versions only what is asked of them: their specifications are long. */
export const VERSIONS = `versions as materialized (select content_hash, spec ->> 'profile' as profile from task_versions)`;
export const RUN_RELATIONS = `runs r join versions v on v.content_hash = r.task_hash join batches b on b.batch_id = r.batch_id`;

export const RUN_TOKENS = '(r.input_tokens + r.output_tokens)';
/** Seconds from its start to its end, or until now. */
export const RUN_SECONDS = 'extract(epoch from coalesce(r.ended_at, now()) - r.started_at)';

const RANGES = {
  score: 'r.best_score',
  steps: 'r.step',
  cost: 'r.cost_usd',
  tokens: RUN_TOKENS,
  duration: RUN_SECONDS,
} as const;

/** Conditions of a filter, by facet; values are appended to `values`, as `$1` and so on. */
export function runConditions(filter: RunSelection, values: unknown[]): Map<string, string> {
  const conditions = new Map<string, string>();
  const put = (value: unknown): string => `$${values.push(value)}`;
  for (const [facet, sql] of Object.entries(FACET_VALUES)) {
    const wanted = filter[facet as RunFacet];
    if (wanted === undefined) continue;
    const given = put(wanted);
    conditions.set(
      facet,
      facet === 'batch'
        ? `(${sql} = any (${given}::text[]) or b.name = any (${given}::text[]))`
        : `${sql} = any (${given}::text[])`,
    );
  }
  // Nodes of search trees are shown with their tree, or where their batch is named.
  if (filter.batch === undefined && filter.run === undefined) conditions.set('own', OWN_BATCH);
  if (filter.run !== undefined) conditions.set('run', `r.run_id = any (${put(filter.run)}::text[])`);
  if (filter.flag !== undefined) conditions.set('flag', `${FLAGS} && ${put(filter.flag)}::text[]`);
  for (const [name, sql] of Object.entries(RANGES)) {
    const { [`${name}Min`]: min, [`${name}Max`]: max } = filter as Record<string, unknown>;
    if (min !== undefined) conditions.set(`${name}Min`, `${sql} >= ${put(min)}::float8`);
    if (max !== undefined) conditions.set(`${name}Max`, `${sql} <= ${put(max)}::float8`);
  }
  if (filter.since !== undefined) conditions.set('since', `r.created_at >= ${put(filter.since)}::timestamptz`);
  if (filter.until !== undefined) conditions.set('until', `r.created_at < ${put(filter.until)}::timestamptz`);
  if (filter.text !== undefined && filter.text !== '') {
    const sought = put(filter.text.toLowerCase());
    conditions.set(
      'text',
      `strpos(lower(concat_ws(E'\\n', r.run_id, r.model_name, r.task_id, r.agent_name, b.batch_id, b.name, r.detail, r.note, array_to_string(r.tags, ' '), b.note, array_to_string(b.tags, ' '))), ${sought}) > 0`,
    );
  }
  return conditions;
}

export const allOf = (conditions: Iterable<string>): string => [...conditions].join(' and ') || 'true';
