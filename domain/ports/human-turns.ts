import type { ChatMessage } from '../model.js';

/** One question to a person who plays: try 0 is the step's first, 1 and 2 are requeries. */
export interface HumanTurnKey {
  runId: string;
  step: number;
  try: number;
}
export interface OpenHumanTurn extends HumanTurnKey {
  /** What a model would get. */
  messages: ChatMessage[];
}

/** Questions and replies lie in Postgres, so that neither needs the other to be there. Every write is keyed. */
export interface HumanTurns {
  /** Put the question; one that is there already stays as it is, with its reply. */
  ask(turn: HumanTurnKey, messages: readonly ChatMessage[]): Promise<void>;
  /** The reply to this question, as domain/agent/reply-encoding.ts writes it; null: none yet. */
  reply(turn: HumanTurnKey): Promise<string | null>;
  /** The question that the run waits for; null: it is busy, or has ended. */
  open(runId: string): Promise<OpenHumanTurn | null>;
  /** Store the reply. The first one counts; returns the one that counts, null if there is no such question. */
  answer(turn: HumanTurnKey, reply: string): Promise<string | null>;
}
