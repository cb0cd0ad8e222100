import type { AskedTurn, RecordedPrompt } from '../../domain/ports/reading/trajectories.js';
import type { Json } from '../../domain/gateway/json.js';
import { joinRequest, partsOf } from '../../domain/gateway/request-parts.js';
import type { ToolCall } from '../../domain/model/model.js';
import type { Statements } from '../statements.js';

/** A call whose request was not sent asked nothing. */
export async function askedTurns(run: Statements, runId: string, step: number): Promise<AskedTurn[]> {
  const rows = await run<{
    try: number;
    sent: string[];
    response: string | null;
    tools: ToolCall[] | null;
    reasoning: string | null;
  }>(
    'askedTurns',
    `select c.try, array_agg(c.request_hash order by c.attempt) as sent,
       (array_agg(c.response) filter (where c.status = 'confirmed'))[1] as response,
       (jsonb_agg(c.tool_calls) filter (where c.status = 'confirmed')) -> 0 as tools,
       (array_agg(c.reasoning) filter (where c.status = 'confirmed'))[1] as reasoning
     from model_calls c
     where c.run_id = $1 and c.step = $2 and (c.sent_at is not null or c.status = 'confirmed')
     group by c.try order by c.try`,
    [runId, step],
  );
  return rows.map(({ try: asked, sent, response, tools, reasoning }) => ({
    try: asked,
    sent,
    reply:
      response === null
        ? null
        : { text: response, ...(tools !== null && { toolCalls: tools }), ...(reasoning !== null && { reasoning }) },
  }));
}

export async function recordedPrompt(run: Statements, runId: string): Promise<RecordedPrompt> {
  const [row] = await run<RecordedPrompt>(
    'recordedPrompt',
    `select coalesce(prompt, '[]') as prompt, footers from imports where run_id = $1`,
    [runId],
  );
  return row ?? { prompt: [], footers: null };
}

/** What a program's step sent; null: it is no call, or was not kept. */
export async function programRequest(run: Statements, runId: string, step: number): Promise<Json | null> {
  const [row] = await run<{ request: Json | null }>(
    'programRequest',
    'select request from program_steps where run_id = $1 and step = $2',
    [runId, step],
  );
  const request = row?.request ?? null;
  if (request === null) return null;
  const parts = await run<{ hash: string; part: unknown }>(
    'programParts',
    'select hash, part from program_parts where run_id = $1 and hash = any($2::text[])',
    [runId, partsOf(request)],
  );
  return joinRequest({ request, parts: new Map(parts.map(({ hash, part }) => [hash, part])) });
}
