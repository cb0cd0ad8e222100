import type { RecordedTask, RunRecord } from '../../domain/ports/exports.js';
import type pg from 'pg';
import type { ExchangedStep, RecordedCall } from '../../domain/exchange/recorded-run.js';
import { errorFields, queryError } from '../database-error.js';
import { STEP_COLUMNS } from '../store/steps/records.js';

const STEPS_AT_ONCE = 10;

const CALL = `jsonb_build_object('try', c.try, 'attempt', c.attempt, 'status', c.status, 'response', c.response, 'toolCalls', c.tool_calls,
  'finishReason', c.finish_reason, 'inputTokens', c.input_tokens, 'outputTokens', c.output_tokens, 'cachedTokens', c.cached_tokens,
  'reasoningTokens', c.reasoning_tokens, 'cacheWriteTokens', c.cache_write_tokens, 'costUsd', trim_scale(c.cost_usd)::text, 'ms', c.ms,
  'error', coalesce(c.error_detail, c.error))`;

/** Computed once per episode. Replies that an environment could not use had no model call. */
const EARNED = `select a.step, a.seq, w.reward, w.format_error,
    coalesce(a.action ->> 'reply', a.action ->> 'command', a.action ->> 'malformed') as text, a.outcome ->> 'message' as answer
  from action_rewards(array[$run]) w join episode_actions a on a.run_id = w.run_id and a.seq = w.seq`;
const NOT_EARNED = `select null::int as step, null::int as seq, null::float8 as reward, null::boolean as format_error, null as text, null as answer where false`;

const stepsOf = (run: string, episode: boolean): string => `with earned as materialized (
    ${episode ? EARNED.replace('$run', run) : NOT_EARNED}
  )
  select ${STEP_COLUMNS}, s.created_at as at, s.executed_at as "executedAt",
    s.step <= coalesce(r.forked_at_step, 0) as copied,
    (select coalesce(jsonb_agg(${CALL} order by c.try, c.attempt), '[]') from model_calls c where c.run_id = s.run_id and c.step = s.step) as calls,
    (select coalesce(jsonb_agg(jsonb_build_object('text', e.text, 'answer', e.answer) order by e.seq) filter (where e.format_error), '[]')
     from earned e where e.step = s.step) as refused,
    (select sum(e.reward) filter (where not e.format_error) from earned e where e.step = s.step) as reward
  from steps s join runs r on r.run_id = s.run_id
  where s.run_id = ${run} order by s.step`;

const EPISODE = `select e.episode_id, m.group_key as "group", e.labels, m.policy_version, m.status, m.reward, m.gain, m.fault,
    m.is_terminated as terminated, m.is_truncated as truncated, m.errored, m.masked, m.num_turns, m.format_errors, m.validations,
    e.reward as reward_request
  from measure_episodes(array[$1]) m join episodes e on e.run_id = m.run_id`;

type StepRow = Omit<ExchangedStep, 'at' | 'executedAt'> & {
  at: Date;
  executedAt: Date | null;
  refused: { text: string; answer: string | null }[];
};

/** The caller closes it. */
export async function openRunRecord(pool: pg.Pool, runId: string): Promise<RunRecord> {
  const client = await pool.connect();
  let open = true;
  // Read-only, so roll back, also when the reader stops early.
  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await client.query('rollback').catch(() => undefined);
    client.release();
  };
  const explained = (error: unknown): unknown =>
    errorFields(error).code === undefined ? error : queryError(`exporting run ${runId}`, error);
  let cursors = 0;
  try {
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query<
      RecordedTask & Pick<RunRecord, 'batch' | 'prompt'> & { answers: Answers | null }
    >(
      `select v.name, v.bound_min as min, v.bound_max as max, b.name as batch, i.prompt, i.args -> 'answers' as answers
       from runs r join task_versions v on v.content_hash = r.task_hash join batches b on b.batch_id = r.batch_id
       left join imports i on i.run_id = r.run_id where r.run_id = $1`,
      [runId],
    );
    const [found] = rows;
    if (found === undefined) throw new Error(`no run ${runId}`);
    const { batch, prompt, answers, ...task } = found;
    const episode = (await client.query<Record<string, unknown>>(EPISODE, [runId])).rows[0] ?? null;
    return {
      ...{ task, batch, prompt, episode, close },
      async *steps() {
        const name = `steps_${++cursors}`;
        try {
          await client.query(
            `declare ${name} no scroll cursor for ${stepsOf(client.escapeLiteral(runId), episode !== null)}`,
          );
          for (;;) {
            const { rows: steps } = await client.query<StepRow>(`fetch ${STEPS_AT_ONCE} from ${name}`);
            for (const step of steps) yield stepOf(step, answers ?? {});
            if (steps.length < STEPS_AT_ONCE) break;
          }
          await client.query(`close ${name}`);
        } catch (error) {
          throw explained(error);
        }
      },
      async looseCalls() {
        const { rows: calls } = await client.query<{ step: number; call: RecordedCall }>(
          `select c.step, ${CALL} as call from model_calls c where c.run_id = $1
             and not exists (select from steps s where s.run_id = c.run_id and s.step = c.step) order by c.step, c.try, c.attempt`,
          [runId],
        );
        return calls.map(({ step, call }) => ({ ...call, step }));
      },
    };
  } catch (error) {
    await close();
    throw explained(error);
  }
}

const NOTHING = {
  ...{ toolCalls: null, finishReason: null, inputTokens: null, outputTokens: null, cachedTokens: null },
  ...{ reasoningTokens: null, cacheWriteTokens: null, costUsd: null, ms: null, error: null },
} as const;

/** Responses to an imported run's refused replies, by step and try. */
type Answers = Record<string, string>;

function stepOf({ at, executedAt, refused, ...step }: StepRow, answers: Answers): ExchangedStep {
  const replies = refused.map(({ text, answer }, index): RecordedCall => ({
    ...{ try: index + 1, attempt: 1, status: 'confirmed', response: text },
    ...NOTHING,
    ...(answer !== null && { answer }),
  }));
  // After refused replies comes the step's own, except after the last of too many.
  const tooMany = step.action === null && replies.at(-1)?.response === step.response;
  const last: RecordedCall[] =
    replies.length === 0 || tooMany || step.calls.length > 0
      ? []
      : [{ try: replies.length + 1, attempt: 1, status: 'confirmed', response: null, ...NOTHING }];
  return {
    ...step,
    calls: [...replies, ...last, ...step.calls].map((call) => {
      const answer = answers[`${step.step}.${call.try}`];
      return answer === undefined ? call : { ...call, answer };
    }),
    at: at.toISOString(),
    executedAt: executedAt?.toISOString() ?? null,
  };
}
