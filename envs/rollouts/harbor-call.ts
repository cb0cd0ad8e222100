import type { Observation } from '../openenv/frames.js';
import type { HarborTools } from './harbor.js';

/** A call of harbor_env's tools; or a model's words, if the session has played an episode. */
export const callsHarbor = ({ type, tool_name: tool }: Record<string, unknown>): boolean =>
  type === 'call_tool' && (tool === 'run_rollout' || tool === 'capabilities');

/** Continues if its client disconnects; GET /v1/rollouts lists it. Idempotent by `name`. */
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
