import type { Observation } from '../openenv/frames.js';
import type { HarborTools } from './harbor.js';

/**
 * Answers a call of one of harbor_env's tools; null: it is another step. What a client cut off goes on, and is listed by GET /v1/rollouts.
 * `name`: of the call; the same one again is the same rollout.
 */
export async function harborCall(
  tools: HarborTools,
  { type, tool_name: tool, arguments: args }: Record<string, unknown>,
  { name, signal }: { name: string | undefined; signal: AbortSignal },
): Promise<Observation | null> {
  if (type !== 'call_tool' || (tool !== 'run_rollout' && tool !== 'capabilities')) return null;
  const result =
    tool === 'run_rollout'
      ? await tools.runRollout(args, { signal, ...(name !== undefined && { rolloutId: `rollout-${name}` }) })
      : await tools.capabilities();
  const observation = { tool_name: tool, result: JSON.stringify(result), error: null };
  return { observation, reward: null, done: false, metadata: {} };
}
