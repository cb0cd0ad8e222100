import { mlgymExitStatus } from '../../domain/outcomes.js';
import type { RolloutRow } from '../../domain/ports/rollouts.js';
import { type CaptureLevel, leastLevel } from '../../domain/rollouts/captured-tokens.js';
import { type TrainingTurn, trainingTurns } from '../../domain/rollouts/training-turn.js';
import type { Bench } from '../bench.js';

/** A rollout with its turns. */
export interface RolloutResult extends RolloutRow {
  /** What its poorest answer told of tokens; null: no answer yet. Below `tokens` it is for evaluation only. */
  level: CaptureLevel | null;
  /** Ended without a fault of ours. */
  ok: boolean;
  /** What failed; null: nothing. */
  error: string | null;
  exitStatus: string | null;
  turns: TrainingTurn[];
}

/** Adds what was captured; nothing is left of an acknowledged rollout's. */
export async function rolloutResult(bench: Bench, row: RolloutRow): Promise<RolloutResult> {
  const { rollouts } = await bench.database();
  const calls = await rollouts.calls(row.runId);
  const level = leastLevel(calls.map((call) => call.level));
  const { ended, endReason, finalEvaluation, fault, detail } = row;
  return {
    ...row,
    level,
    ok: ended && fault === null,
    error: fault === null ? null : detail === null || detail === '' ? fault : `${fault}: ${detail}`,
    exitStatus: endReason === null ? null : mlgymExitStatus(endReason, finalEvaluation ?? 'not_run') || endReason,
    turns: trainingTurns(calls, level),
  };
}
