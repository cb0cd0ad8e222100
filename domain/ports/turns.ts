import type { ChatMessage, ToolDefinition } from '../model/model.js';
import type { Prompt, TurnKey } from './player.js';

/** A turn that waits for its answer. */
export interface OpenTurn extends TurnKey {
  /** What a model would get. */
  messages: ChatMessage[];
  /** Offered to an agent that calls tools; null: none. */
  tools: ToolDefinition[] | null;
  requestedAt: Date;
}

/**
 * Turns of players outside of this system. Questions and answers lie in Postgres, so that neither side needs the other to be there.
 * Every write is keyed.
 */
export interface Turns {
  /** Put the question, unless it is there already, and look for its answer, as domain/agent/reply-encoding.ts writes it; null: none yet. */
  ask(turn: TurnKey, prompt: Prompt): Promise<string | null>;
  /** The turns that runs wait for, of one run or of all of a batch: at most one of each run. */
  open(of: { runId: string } | { batchId: string }): Promise<OpenTurn[]>;
  /**
   * Store the answer. The first one counts: returns that one, whether it is the one given, and whether a worker listens for it. Null: there
   * is no such question, or its run ended without an answer to it.
   */
  answer(turn: TurnKey, reply: string): Promise<{ reply: string; counts: boolean; heard: boolean } | null>;
  /** A worker listens for the answer from now on, for so long. False: it is there. */
  listen(turn: TurnKey, ms: number): Promise<boolean>;
  /** It listens no more: the answer comes to the run's workflow, by signal. False: the answer is there. */
  stopListening(turn: TurnKey): Promise<boolean>;
  /** Turns of open runs whose answer was given at least so many seconds ago, and has not been taken up. */
  notTakenUp(seconds: number): Promise<TurnKey[]>;
}
