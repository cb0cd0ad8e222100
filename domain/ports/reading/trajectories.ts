import type { Json } from '../../gateway/json.js';
import type { ToolCall } from '../../model/model.js';
import type { RunDefinition } from '../../run/run.js';
import type { TrajectoryStep } from '../../views/trajectory.js';

/** One question of a step: the hashes of the sent messages, and the reply that counts. */
export interface AskedTurn {
  try: number;
  sent: string[];
  /** Null: none yet, or lost. */
  reply: { text: string; toolCalls?: ToolCall[]; reasoning?: string } | null;
}

/** What an import keeps of a history besides its steps. */
export interface RecordedPrompt {
  /** Messages before the first step. */
  prompt: { role: string; content: string }[];
  /** Text after each step's observation; null: not kept. */
  footers: (string | null)[] | null;
}

export interface TrajectoryReads {
  /** Steps after `afterStep` (default 0), in order; the first `most`, or all. */
  trajectory(runId: string, afterStep?: number, most?: number | null): Promise<TrajectoryStep[]>;
  /** How bench (here or in the exporting home) played a run; null: another tool did. */
  playedAs(runId: string): Promise<RunDefinition | null>;
  /** Each sent question of a step, in order. */
  askedTurns(runId: string, step: number): Promise<AskedTurn[]>;
  /** A program step's request; null: no call, or not kept. */
  programRequest(runId: string, step: number): Promise<Json | null>;
  /** Messages around the observations of a run that MLGym played. */
  recordedPrompt(runId: string): Promise<RecordedPrompt>;
}
