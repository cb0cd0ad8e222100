import type { ChatMessage, ToolDefinition } from '../model/model.js';
import type { Prompt, TurnKey } from './player.js';

/** A turn that waits for its answer. */
export interface OpenTurn extends TurnKey {
  messages: ChatMessage[];
  /** Null: the agent does not call tools. */
  tools: ToolDefinition[] | null;
  requestedAt: Date;
}

/** Turns of external players. Neither side needs the other to be up. Every write is keyed. */
export interface Turns {
  /** Store the question once and return its answer, encoded by domain/agent/reply-encoding.ts. */
  ask(turn: TurnKey, prompt: Prompt): Promise<string | null>;
  /** Open turns of a run or a batch: at most one per run. */
  open(of: { runId: string } | { batchId: string }): Promise<OpenTurn[]>;
  /**
   * The first answer counts and is returned. `counts`: it is this one. `heard`: a worker listens.
   * Null: no such question, or its run ended.
   */
  answer(turn: TurnKey, reply: string): Promise<{ reply: string; counts: boolean; heard: boolean } | null>;
  /** A worker now listens for so long. False: the answer is already here. */
  listen(turn: TurnKey, ms: number): Promise<boolean>;
  /** The answer will be signalled to the run's workflow instead. False: it is already here. */
  stopListening(turn: TurnKey): Promise<boolean>;
  /** Turns of open runs with an answer older than so many seconds that was not used. */
  notTakenUp(seconds: number): Promise<TurnKey[]>;
}
