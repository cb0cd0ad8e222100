import type {
  SearchedRun,
  SearchSlice,
  FoundText,
  TakenSubmission,
} from '../../../domain/ports/reading/search-pages.js';
import { BenchError } from '../../../domain/errors.js';
import type { RunSelection } from '../../../domain/requests/run-filter.js';
import type { SearchPlace } from '../../../domain/requests/search.js';
import type { SoughtText } from '../../../domain/text/search-text.js';
import { errorFields, queryError } from '../../database-error.js';
import type { Statements } from '../../statements.js';
import { allOf, RUN_RELATIONS, runConditions, VERSIONS } from './run-conditions.js';

/** Characters around a match, and of a match. */
const BEFORE = 60;
const AFTER = 100;
const MATCH = 160;

/** The server's own word on a pattern that it cannot read is for who wrote it. */
export function searchError(operation: string, error: unknown): Error {
  const { code, message } = errorFields(error);
  return code === '2201B'
    ? new BenchError('usage', `the pattern cannot be read: ${message.replace(/^invalid regular expression: /, '')}`, {
        code: 'request.invalid',
        remedy: 'Correct it, or put the text in quotes to find it as it is.',
      })
    : queryError(operation, error);
}

/** SQL for the match of `$1`, or null. Byte order is many times faster than a language's. */
function matchOf(sought: SoughtText, column: string): string {
  // Parentheses around the whole, or a part in parentheses would be taken for the match.
  if (sought.kind === 'pattern') return `substring(${column} from $1)`;
  const [text, position] =
    sought.kind === 'exact'
      ? ['$1::text', `strpos(${column} collate "C", $1)`]
      : ['$1::text', `strpos(lower(${column} collate "C"), $1)`];
  return `case when ${position} > 0 then substr(${column}, ${position}, char_length(${text})) end`;
}
const patternOf = (sought: SoughtText): string =>
  sought.kind === 'pattern' ? `${sought.anyCase ? '(?i)' : ''}(${sought.text})` : sought.text;

/** Is there a match? */
const has = (sought: SoughtText, column: string): string =>
  sought.kind === 'pattern'
    ? `${column} ~ $1`
    : sought.kind === 'exact'
      ? `strpos(${column} collate "C", $1) > 0`
      : `strpos(lower(${column} collate "C"), $1) > 0`;

/** Runs that a search reads, newest first. Throws BenchError (usage): its pattern is invalid. */
export async function searchedRuns(run: Statements, filter: RunSelection, sought: SoughtText): Promise<SearchedRun[]> {
  if (sought.kind === 'pattern') await run('checkPattern', `select '' ~ $1`, [patternOf(sought)]);
  const values: unknown[] = [];
  const where = allOf(runConditions(filter, values).values());
  return run<SearchedRun>(
    'searchedRuns',
    `with ${VERSIONS}
     select r.run_id as "runId", r.model_name as model, r.task_id as task, r.attempt,
       coalesce((select max(s.step) from steps s where s.run_id = r.run_id), 0)::int as steps
     from ${RUN_RELATIONS} where ${where} order by r.created_at desc, r.run_id desc`,
    values,
  );
}

const STEP_COLUMNS: Partial<Record<SearchPlace, string>> = {
  thought: 's.thought',
  action: 's.action',
  observation: 's.observation',
  reply: 's.response',
};

/** What a slice holds of the text, and how many bytes it has. */
export async function searchSlice(
  run: Statements,
  slice: SearchSlice,
  {
    sought,
    places,
    excerpts,
    limit,
  }: { sought: SoughtText; places: readonly SearchPlace[]; excerpts: boolean; limit: number },
): Promise<{ hits: FoundText[]; bytes: number }> {
  const columns = places.flatMap((place) => {
    const column = STEP_COLUMNS[place];
    return column === undefined ? [] : [[place, column] as const];
  });
  const sources = [
    ...(columns.length === 0
      ? []
      : [
          `select wanted.nth, s.run_id, s.step, t.place, t.body from wanted
           join steps s on s.run_id = wanted.run_id and s.step between $3 and $4
           cross join lateral (values ${columns.map(([place, column]) => `('${place}', ${column})`).join(', ')}) t(place, body)`,
        ]),
    ...(slice.whole && places.includes('evaluation')
      ? [
          `select wanted.nth, e.run_id, e.step, 'evaluation', e.message from wanted
           join evaluations e on e.run_id = wanted.run_id and e.split = 'test'`,
        ]
      : []),
    ...(slice.whole && places.includes('event')
      ? [
          `select wanted.nth, v.run_id, null::int, 'event', v.detail from wanted join events v on v.run_id = wanted.run_id`,
        ]
      : []),
  ];
  if (sources.length === 0) return { hits: [], bytes: 0 };
  const range = [slice.runIds, slice.from, slice.to];
  const wanted = 'wanted as (select * from unnest($2::text[]) with ordinality as w (run_id, nth))';
  const [rows, [size]] = await Promise.all([
    run<Row>(
      'searchSlice',
      `with ${wanted}, texts as (${sources.join(' union all ')}),
       found as (select nth, run_id, step, place, body from texts where ${has(sought, 'body')} order by nth, step nulls first, place limit $5)
       select run_id as "runId", step, place as "in"${excerpts ? `, ${excerptOf(sought)} as excerpt` : ''}, $3::int as "from", $4::int as "to"
       from found order by nth, step nulls first, place`,
      [patternOf(sought), ...range, limit],
    ),
    run<{ bytes: number }>(
      'searchedBytes',
      `with ${wanted}
       select coalesce(sum(${columns.map(([, column]) => `coalesce(octet_length(${column}), 0)::bigint`).join(' + ') || '0'}), 0)::float8 as bytes
       from wanted join steps s on s.run_id = wanted.run_id and s.step between $3 and $4 where $1::text is not null`,
      ['', ...range],
    ),
  ]);
  return { hits: rows.map(foundText), bytes: size?.bytes ?? 0 };
}

/** Around the first match of a text. */
const excerptOf = (sought: SoughtText): string => `
  (select jsonb_build_object('before', substr(body, greatest(1, m.at - ${BEFORE}), least(${BEFORE}, m.at - 1)), 'match', left(m.text, ${MATCH}),
     'after', substr(body, m.at + char_length(m.text), ${AFTER}), 'at', m.at - 1, 'length', char_length(body))
   from (select f.text, greatest(1, strpos(body collate "C", f.text)) as at from (select ${matchOf(sought, 'body')} as text) f) m)`;

interface Row {
  runId: string;
  step: number | null;
  in: SearchPlace;
  excerpt?: FoundText['excerpt'];
}
const foundText = ({ runId, step, in: place, excerpt }: Row): FoundText => ({
  ...{ runId, step, in: place, path: null },
  excerpt: excerpt ?? null,
});

/** Submissions of a slice that were kept. */
export async function submissionsOf(run: Statements, { runIds, from, to }: SearchSlice): Promise<TakenSubmission[]> {
  return run<TakenSubmission>(
    'submissionsOf',
    `select s.run_id as "runId", s.step, min(s.sha256) as sha256
     from unnest($1::text[]) with ordinality as w (run_id, nth)
     join submissions s on s.run_id = w.run_id and s.step between $2 and $3 and s.sha256 is not null
     group by w.nth, s.run_id, s.step, s.sha256 order by w.nth, s.step`,
    [runIds, from, to],
  );
}

/** The same match and excerpt for texts that lie elsewhere; null: none. */
export async function excerptsOf(
  run: Statements,
  sought: SoughtText,
  texts: readonly string[],
): Promise<FoundText['excerpt'][]> {
  const rows = await run<{ excerpt: FoundText['excerpt'] }>(
    'excerptsOf',
    `select case when ${has(sought, 'body')} then ${excerptOf(sought)} end as excerpt
     from unnest($2::text[]) with ordinality as t (body, nth) order by nth`,
    [patternOf(sought), texts],
  );
  return rows.map(({ excerpt }) => excerpt);
}

/** Runs of the filter with the text in a thought, an action or an observation. */
export async function runsContaining(run: Statements, filter: RunSelection, sought: SoughtText): Promise<string[]> {
  const values: unknown[] = [patternOf(sought)];
  const where = allOf(runConditions(filter, values).values());
  const rows = await run<{ runId: string }>(
    'runsContaining',
    `with ${VERSIONS}
     select r.run_id as "runId" from ${RUN_RELATIONS}
     where ${where} and exists (
       select from steps s where s.run_id = r.run_id
         and (${['s.action', 's.observation', 's.thought'].map((column) => has(sought, column)).join(' or ')}))`,
    values,
  );
  return rows.map(({ runId }) => runId);
}
