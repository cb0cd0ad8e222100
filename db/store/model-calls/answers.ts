import type { ToolCall, ModelReply } from '../../../domain/model/model.js';
import type { ModelCallKey } from '../../../domain/ports/record/call-ledger.js';
import type { Statements } from '../../statements.js';

export interface AnswerRow {
  response: string | null;
  finish_reason: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cached_tokens: number | null;
  reasoning_tokens: number | null;
  cache_write_tokens: number | null;
  cache_write_hour_tokens: number | null;
  tool_calls: ToolCall[] | null;
  reasoning: string | null;
  cost_usd: string | null;
  ms: number | null;
}

/** Columns of an AnswerRow, from a `model_calls` row (or none) with the alias `answer`. */
export const ANSWER = `answer.response, answer.finish_reason, answer.input_tokens::float8, answer.output_tokens::float8,
  answer.cached_tokens::float8, answer.reasoning_tokens::float8, answer.cache_write_tokens::float8,
  answer.cache_write_hour_tokens::float8, answer.tool_calls, answer.reasoning, trim_scale(answer.cost_usd)::text as cost_usd, answer.ms`;

export async function storedAnswer(
  run: Statements,
  key: ModelCallKey,
): Promise<{ reply: ModelReply; ms: number } | null> {
  const [row] = await run<AnswerRow>(
    'storedAnswer',
    `select ${ANSWER} from model_calls answer
         where run_id = $1 and step = $2 and try = $3 and status = 'confirmed'`,
    [key.runId, key.step, key.try],
  );
  return row === undefined ? null : answerOf(row);
}

export async function modelHasAnswered(run: Statements, batchId: string, model: string): Promise<boolean> {
  const [row] = await run<{ answered: boolean }>(
    'modelHasAnswered',
    `select exists (
           select from runs where batch_id = $1 and model_name = $2 and answered_calls > 0
         ) as answered`,
    [batchId, model],
  );
  return row?.answered === true;
}

export const answerOf = (row: AnswerRow): { reply: ModelReply; ms: number } | null =>
  row.response === null ? null : { reply: replyOf(row), ms: row.ms ?? 0 };

const replyOf = (row: AnswerRow): ModelReply => ({
  text: row.response ?? '',
  usage: {
    inputTokens: row.input_tokens ?? 0,
    outputTokens: row.output_tokens ?? 0,
    cachedTokens: row.cached_tokens ?? 0,
    reasoningTokens: row.reasoning_tokens ?? 0,
    cacheWriteTokens: row.cache_write_tokens ?? 0,
    cacheWriteHourTokens: row.cache_write_hour_tokens ?? 0,
  },
  costUsd: row.cost_usd ?? '0',
  finishReason: row.finish_reason ?? '',
  ...(row.tool_calls === null ? {} : { toolCalls: row.tool_calls }),
  ...(row.reasoning === null ? {} : { reasoning: row.reasoning }),
});
