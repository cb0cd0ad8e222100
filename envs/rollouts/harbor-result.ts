import type { TrainingTurn } from '../../domain/rollouts/training-turn.js';
import type { RolloutResult } from '../../operations/rollouts/result.js';

export interface HarborAsked {
  split: string;
  harness: string;
  sandbox: string;
  /** Key of `rewards` to use; empty: `reward`. */
  rewardKey: string;
  /** `auto`: by what the endpoint reports. */
  purpose: 'auto' | 'train' | 'eval';
}

/** With harbor_env's names. */
export interface HarborResult {
  task_id: string;
  task_name: string;
  dataset: string;
  harness: string;
  sandbox: string;
  trial_name: string;
  reward: number | null;
  rewards: Record<string, number>;
  reward_key: string;
  rollout_type: 'train' | 'eval';
  capture_level: string;
  n_turns: number;
  n_roots: number;
  multi_turn: boolean;
  n_trainable_tokens: number;
  turns: (Omit<TrainingTurn, 'step'> & { role: 'agent'; discarded: false })[];
  findings: string[];
  wall_s: number;
  ok: boolean;
  error: string | null;
}

/** A rollout that failed: no reward, never a zero. */
export function harborFailure(asked: HarborAsked, error: string): HarborResult {
  return {
    ...{
      task_id: '',
      task_name: '',
      dataset: asked.split,
      harness: asked.harness,
      sandbox: asked.sandbox,
      trial_name: '',
    },
    ...{ reward: null, rewards: {}, reward_key: asked.rewardKey, rollout_type: 'eval', capture_level: 'text' },
    ...{ n_turns: 0, n_roots: 0, multi_turn: false, n_trainable_tokens: 0, turns: [], findings: [], wall_s: 0 },
    ...{ ok: false, error },
  };
}

export function harborResult(asked: HarborAsked, result: RolloutResult): HarborResult {
  const { reward, gain, ok, level } = result;
  const rewards = { ...(reward !== null && { reward }), ...(gain !== null && { gain }) } as Record<string, number>;
  const key = asked.rewardKey === '' ? 'reward' : asked.rewardKey;
  const trains = level === 'tokens' && asked.purpose !== 'eval';
  const turns = result.turns.map(({ step: _step, ...turn }) => ({
    ...turn,
    role: 'agent' as const,
    discarded: false as const,
  }));
  return {
    ...{ task_id: result.task, task_name: result.task, dataset: asked.split, harness: result.agent },
    ...{ sandbox: result.backend, trial_name: result.runId },
    reward: ok ? (rewards[key] ?? null) : null,
    rewards: ok ? rewards : {},
    reward_key: key,
    rollout_type: trains ? 'train' : 'eval',
    capture_level: level ?? 'text',
    n_turns: turns.length,
    n_roots: turns.length === 0 ? 0 : 1,
    multi_turn: turns.length > 1,
    n_trainable_tokens: turns.reduce((sum, { completion_token_ids: sampled }) => sum + sampled.length, 0),
    turns,
    findings: findingsOf(asked, result, rewards, key),
    wall_s: result.seconds,
    ok,
    error: result.error,
  };
}

function findingsOf(asked: HarborAsked, result: RolloutResult, rewards: Record<string, number>, key: string): string[] {
  const { level, ok, backend } = result;
  return [
    ...(level === 'tokens'
      ? []
      : [
          `[WARN] eval_only: the endpoint returned ${level ?? 'nothing'} of its tokens, which nothing can be trained on`,
        ]),
    ...(asked.purpose === 'train' && level !== 'tokens' ? ['[FATAL] no_token_ids: training was asked for'] : []),
    ...(ok && !(key in rewards)
      ? [`[WARN] no_reward: there is no ${key}; rewards are ${Object.keys(rewards).join(', ') || 'none'}`]
      : []),
    ...(asked.sandbox === '' || asked.sandbox === backend
      ? []
      : [`[INFO] sandbox: ${backend}, as this server was started with`]),
  ];
}
