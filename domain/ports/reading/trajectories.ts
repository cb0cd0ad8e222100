import type { Json } from '../../gateway/json.js';
import type { ToolCall } from '../../model/model.js';
import type { RunDefinition } from '../../run/run.js';
import type { TrajectoryStep } from '../../views/trajectory.js';

/** One question of a step: the hashes of what was sent, and the answer that counts. */
export interface AskedTurn {
  try: number;
  sent: string[];
  /** Null: none yet, or it was lost. */
  reply: { text: string; toolCalls?: ToolCall[] } | null;
}

/** What an import keeps of a history besides its steps. */
export interface RecordedPrompt {
  /** The messages before the first step. */
  prompt: { role: string; content: string }[];
  /** What each step's message has after the observation; null: not kept. */
  footers: (string | null)[] | null;
}

/** What a run was asked, did and saw. */
export interface TrajectoryReads {
  /** Steps after `afterStep` (default 0), in order; the first `most` of them, or all. */
  trajectory(runId: string, afterStep?: number, most?: number | null): Promise<TrajectoryStep[]>;
  /** How a run was played here or in the home that exported it; null: MLGym or another tool played it. */
  playedAs(runId: string): Promise<RunDefinition | null>;
  /** Each question of a step that was sent, in order. */
  askedTurns(runId: string, step: number): Promise<AskedTurn[]>;
  /** What a program's step sent; null: it is no call, or was not kept. */
  programRequest(runId: string, step: number): Promise<Json | null>;
  /** The messages around the observations of a run that MLGym played. */
  recordedPrompt(runId: string): Promise<RecordedPrompt>;
}
