import type { ChatMessage, ModelReply, ToolDefinition } from '../model/model.js';
import type { Fence } from './record/steps.js';
import type { EndReason } from '../run/outcomes.js';
import type { RunDefinition } from '../run/run.js';

/** Names one turn of a run: try 0 asks for the step's first reply, 1 and 2 are requeries. */
export interface TurnKey {
  runId: string;
  step: number;
  try: number;
  /** Of the attempt that takes the turn; absent: unfenced. */
  fence?: Fence;
}

/** What the player sees. */
export interface Prompt {
  messages: ChatMessage[];
  /** Only for the tool-calling agent. */
  tools?: ToolDefinition[];
}

/** Result of a turn. Unless it is a reply, nothing was recorded or paid. */
export type TurnResult =
  | { kind: 'reply'; reply: ModelReply; ms: number }
  /** The run ends before this turn. */
  | { kind: 'end'; endReason: EndReason }
  /** Not now: others hold the resources. */
  | { kind: 'wait'; waitMs: number }
  /** The question was passed to a player outside: ask again once it is answered. */
  | { kind: 'asked' };

/**
 * Takes a run's turns: a paid model, one of our programs, or a player outside. Takes no turn that a limit of the run forbids. The
 * same turn, requested again, has the same reply, paid once.
 */
export interface Player {
  next(run: RunDefinition, turn: TurnKey, prompt: Prompt, signal: AbortSignal): Promise<TurnResult>;
}
