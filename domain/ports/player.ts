import type { ChatMessage, ModelReply, ToolDefinition } from '../model.js';
import type { EndReason } from '../outcomes.js';
import type { RunDefinition } from '../run.js';

/** Names one turn of a run: try 0 asks for the step's first reply, 1 and 2 are requeries. */
export interface TurnKey {
  runId: string;
  step: number;
  try: number;
}

/** What whoever plays is shown. */
export interface Prompt {
  messages: ChatMessage[];
  /** Only for the tool-calling agent. */
  tools?: ToolDefinition[];
}

/** What a turn came to. Of all but a reply: nothing was recorded, and nothing was paid for. */
export type TurnResult =
  | { kind: 'reply'; reply: ModelReply; ms: number }
  /** The run ends before this turn. */
  | { kind: 'end'; endReason: EndReason }
  /** Not now: others hold what it needs. */
  | { kind: 'wait'; waitMs: number }
  /** The question is put to somebody outside: ask again once it is answered. */
  | { kind: 'asked' };

/**
 * Whoever takes a run's turns: a paid model, a program of ours, or somebody outside. No turn is taken that a limit of the run forbids;
 * the same turn, asked for again, has the same reply, paid for once.
 */
export interface Player {
  next(run: RunDefinition, turn: TurnKey, prompt: Prompt, signal: AbortSignal): Promise<TurnResult>;
}
