import type { ModelReply, ModelRequest } from '../domain/model/model.js';
import { ProviderError } from '../domain/model/provider-error.js';
import {
  CAPTURE_PARAMETERS,
  type CapturedCall,
  capturedTokens,
  type CaptureLevel,
  levelsFrom,
} from '../domain/rollouts/captured-tokens.js';

const MOST_RUNS = 1_000;

const NOT_SAMPLING = ['model', 'messages', 'tools', 'parallel_tool_calls', 'stream'];

type Ask = (more: Record<string, unknown>) => Promise<{ data: unknown; reply: ModelReply }>;

/** Asks an endpoint that refuses for less; its first answer decides for the rest of the run. */
export async function captureCall(
  ask: Ask,
  of: { asked: CaptureLevel; request: ModelRequest; body: object; levels: Map<string, CaptureLevel> | undefined },
): Promise<ModelReply> {
  const { request, levels } = of;
  const run = request.callId?.split('/')[0] ?? '';
  const asked = levels?.get(run) ?? of.asked;
  let refusal: unknown = null;
  for (const level of levelsFrom(asked)) {
    try {
      const { data, reply } = await ask(CAPTURE_PARAMETERS[level]);
      if (levels !== undefined) {
        if (levels.size >= MOST_RUNS) levels.clear();
        levels.set(run, level);
      }
      return { ...reply, captured: { ...capturedTokens(data, level), request: requestOf(of.body) } };
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind !== 'bad_request') throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}

function requestOf(body: object): CapturedCall['request'] {
  const { messages, tools = null } = body as { messages: unknown[]; tools?: unknown[] };
  const sampling = Object.fromEntries(Object.entries(body).filter(([key]) => !NOT_SAMPLING.includes(key)));
  return { messages, tools, sampling };
}
