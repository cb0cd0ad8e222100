import type { ModelReply, ModelRequest } from '../domain/model/model.js';
import { ProviderError } from '../domain/model/provider-error.js';
import {
  CAPTURE_PARAMETERS,
  type CapturedCall,
  capturedTokens,
  type CaptureLevel,
  levelsFrom,
} from '../domain/rollouts/captured-tokens.js';

/** Runs whose endpoints are remembered; a forgotten one is asked again. */
const MOST_RUNS = 1_000;

/** Keys of a request that say how it was sampled, as against what was asked. */
const NOT_SAMPLING = ['model', 'messages', 'tools', 'parallel_tool_calls', 'stream'];

type Ask = (more: Record<string, unknown>) => Promise<{ data: unknown; reply: ModelReply }>;

/**
 * A call whose tokens are captured. An endpoint that refuses to be asked for token ids, or for log-probabilities, is asked for less;
 * what it answers at the first call decides what later calls of the run ask for.
 */
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
