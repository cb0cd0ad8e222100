import type { ChatMessage } from '../model.js';

/** One question to a person who plays: try 0 is the step's first, 1 and 2 are requeries. */
export interface TurnKey {
  runId: string;
  step: number;
  try: number;
}
export interface OpenTurn extends TurnKey {
  /** What a model would get. */
  messages: ChatMessage[];
}

/** Questions and replies lie in Postgres, so that neither needs the other to be there. Every write is keyed. */
export interface Turns {
  /** Put the question; one that is there already stays as it is, with its reply. */
  ask(turn: TurnKey, messages: readonly ChatMessage[]): Promise<void>;
  /** The reply to this question, as domain/agent/reply-encoding.ts writes it; null: none yet. */
  reply(turn: TurnKey): Promise<string | null>;
  /** The question that the run waits for; null: it is busy, or has ended. */
  open(runId: string): Promise<OpenTurn | null>;
  /** Store the reply. The first one counts; returns the one that counts, null if there is no such question. */
  answer(turn: TurnKey, reply: string): Promise<string | null>;
}
