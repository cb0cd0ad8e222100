import type { Observation } from '../openenv/frames.js';
import type { HarborTools } from './harbor.js';

/** Does this step call one of harbor_env's tools? A model may have written it, too: a session that has played an episode may not. */
export const callsHarbor = ({ type, tool_name: tool }: Record<string, unknown>): boolean =>
  type === 'call_tool' && (tool === 'run_rollout' || tool === 'capabilities');

/**
 * Answers a call of one of harbor_env's tools. What a client cut off goes on, and is listed by GET /v1/rollouts.
 * `name`: of the call; the same one again is the same rollout.
 */
export async function harborCall(
  tools: HarborTools,
  { tool_name: tool, arguments: args }: Record<string, unknown>,
  { name, signal }: { name: string | undefined; signal: AbortSignal },
): Promise<Observation> {
  const result =
    tool === 'run_rollout'
      ? await tools.runRollout(args, { signal, ...(name !== undefined && { rolloutId: `rollout-${name}` }) })
      : await tools.capabilities();
  const observation = { tool_name: tool, result: JSON.stringify(result), error: null };
  return { observation, reward: null, done: false, metadata: {} };
}
