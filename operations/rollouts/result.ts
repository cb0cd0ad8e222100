import { mlgymExitStatus } from '../../domain/run/outcomes.js';
import type { RolloutRow, Rollouts } from '../../domain/ports/rollouts.js';
import { type CaptureLevel, leastLevel } from '../../domain/rollouts/captured-tokens.js';
import { type TrainingTurn, trainingTurns } from '../../domain/rollouts/training-turn.js';

export interface RolloutResult extends RolloutRow {
  /** Capture level of its poorest answer; null: none yet. Below `tokens`: for evaluation only. */
  level: CaptureLevel | null;
  /** Ended without a fault of bench. */
  ok: boolean;
  /** Null: nothing failed. */
  error: string | null;
  exitStatus: string | null;
  turns: TrainingTurn[];
}

/** Adds the captured turns; an acknowledged rollout has none any more. */
export async function rolloutResult(
  { rollouts }: { rollouts: Pick<Rollouts, 'calls'> },
  row: RolloutRow,
): Promise<RolloutResult> {
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
