import type { TextPart } from '../../../domain/ports/reading/step-pages.js';
import { BenchError } from '../../../domain/errors.js';
import type { StepText } from '../../../domain/run/step-badges.js';
import type { ClippedStep } from '../../../domain/views/steps.js';
import type { Statements } from '../../statements.js';
import { listEvaluations } from '../runs.js';
import { isoTime } from '../summaries.js';

/** The whole where it is no longer than so many characters, else its head and tail. */
const clipped = (column: string): string => `
  case when ${column} is null then null
    when octet_length(${column}) <= $4 or char_length(${column}) <= $4 then jsonb_build_object('head', ${column}, 'tail', '', 'omitted', 0, 'bytes', octet_length(${column}))
    else jsonb_build_object('head', left(${column}, $4 - $4 / 2), 'tail', right(${column}, $4 / 2), 'omitted', char_length(${column}) - $4, 'bytes', octet_length(${column}))
  end`;

type Row = Omit<ClippedStep, 'evaluations' | 'at'> & { at: Date };

/** Steps from this to that one, each text cut to so many characters. */
export async function stepBodies(
  run: Statements,
  runId: string,
  { from, to, preview }: { from: number; to: number; preview: number },
): Promise<ClippedStep[]> {
  const [steps, evaluations] = await Promise.all([
    run<Row>(
      'stepBodies',
      `select s.step, s.step <= coalesce(r.forked_at_step, 0) as copied, action_category(left(s.action, 2000)) as category,
         ${clipped('s.response')} as response, ${clipped('s.thought')} as thought,
         ${clipped('s.action')} as action, ${clipped('s.observation')} as observation,
         s.exit_code as "exitCode", s.timed_out as "timedOut", s.lost, s.output_bytes::float8 as "outputBytes", s.requested,
         s.working_dir as "workingDir", s.tool_state as "toolState", s.command_ms as "commandMs", s.model_ms as "modelMs",
         s.created_at as at, trim_scale(calls.cost_usd)::text as "costUsd",
         calls.input_tokens::float8 as "inputTokens", calls.output_tokens::float8 as "outputTokens", calls.endpoint
       from runs r join steps s on s.run_id = r.run_id
       cross join lateral (
         select coalesce(sum(c.cost_usd), 0) as cost_usd, coalesce(sum(c.input_tokens), 0) as input_tokens,
           coalesce(sum(c.output_tokens), 0) as output_tokens, (array_agg(c.endpoint order by c.try desc))[1] as endpoint
         from model_calls c where c.run_id = s.run_id and c.step = s.step and c.status = 'confirmed'
       ) calls
       where r.run_id = $1 and s.step between $2 and $3
       order by s.step`,
      [runId, from, to, preview],
    ),
    listEvaluations(run, runId, { after: from - 1, through: to }),
  ]);
  return steps.map((row) => ({
    ...row,
    at: isoTime(row.at),
    evaluations: evaluations.filter(({ step }) => step === row.step),
  }));
}

/** A step's text, or a range of its bytes. Throws BenchError (not_found): no such step or text. */
export async function stepText(
  run: Statements,
  { runId, step, text, from, to }: { runId: string; step: number; text: StepText; from: number; to: number | null },
): Promise<TextPart> {
  // The column is one of four words of ours.
  const [row] = await run<{ bytes: Buffer | null; total: number | null }>(
    'stepText',
    `select octet_length(s.${text}) as total,
       case when $3 = 0 and $4::int is null then convert_to(s.${text}, 'UTF8')
         else substring(convert_to(s.${text}, 'UTF8') from $3::int + 1 for coalesce($4::int - $3::int + 1, 2147483000 - $3::int)) end as bytes
     from steps s where s.run_id = $1 and s.step = $2`,
    [runId, step, from, to],
  );
  if (row?.bytes == null || row.total === null)
    throw new BenchError('not_found', `run ${runId} has no ${text} of step ${step}`, {
      code: 'step.not_found',
      remedy: '`bench trajectory` lists its steps.',
    });
  return { bytes: row.bytes, total: row.total };
}
