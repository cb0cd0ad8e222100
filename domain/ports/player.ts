import type { StoredImage } from '../model/images.js';
import type { ChatMessage, ModelReply, ToolDefinition } from '../model/model.js';
import type { Fence } from './record/steps.js';
import type { EndReason } from '../run/outcomes.js';
import type { RunDefinition } from '../run/run.js';

/** One turn of a run: try 0 is the step's first reply, 1 and 2 are requeries. */
export interface TurnKey {
  runId: string;
  step: number;
  try: number;
  /** Of the attempt that takes the turn; absent: unfenced. */
  fence?: Fence;
}

export interface Prompt {
  messages: ChatMessage[];
  /** Only for tool-calling agents. */
  tools?: ToolDefinition[];
  /** A reply may call several tools. Absent: one. */
  severalCalls?: true;
  /** Has the provider's cache keep the prompt for an hour, where it offers that. */
  cacheForAnHour?: true;
  /** By id; they follow the texts that name them. Absent: none. */
  images?: ReadonlyMap<string, StoredImage>;
}

/** Unless it is a reply, nothing was recorded or paid. */
export type TurnResult =
  | { kind: 'reply'; reply: ModelReply; ms: number }
  /** The run ends before this turn. */
  | { kind: 'end'; endReason: EndReason }
  /** Others hold the resources. */
  | { kind: 'wait'; waitMs: number }
  /** Passed to an external player: call again once it has answered. */
  | { kind: 'asked' };

/**
 * Takes a run's turns: a paid model, one of our programs, or an external player. No turn exceeds
 * the run's limits; a repeated turn has the same reply, paid once.
 */
export interface Player {
  next(run: RunDefinition, turn: TurnKey, prompt: Prompt, signal: AbortSignal): Promise<TurnResult>;
}
