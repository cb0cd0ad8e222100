import type { RolloutResult } from '../../operations/rollouts/result.js';

/** `reward` is null for no evaluation, or our fault: exclude it, never use 0. */
export function wireRollout(result: RolloutResult): Record<string, unknown> {
  const { started, ended, ok } = result;
  return {
    id: result.rolloutId,
    run_id: result.runId,
    end_sequence: result.endSequence,
    status: ended ? 'ended' : started ? 'running' : 'queued',
    task: result.task,
    seed: result.seed,
    agent: result.agent,
    model: result.model,
    labels: result.labels,
    group: result.group,
    policy_version: result.policyVersion,
    ok: ended ? ok : null,
    error: result.error,
    reward: result.reward,
    gain: result.gain,
    end_reason: result.endReason,
    exit_status: result.exitStatus,
    capture: { requested: result.capture, level: result.level },
    /** Below level `tokens` a rollout is for evaluation only. */
    use: result.level === 'tokens' ? 'train' : 'evaluation',
    steps: result.steps,
    acknowledged: result.acknowledged,
    wall_s: result.seconds,
    turns: result.turns,
  };
}
