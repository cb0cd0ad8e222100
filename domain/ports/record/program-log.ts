import type { Json } from '../../gateway/json.js';

/** A step whose answer asked for tools, and whose results have not been seen yet. */
export interface OpenStep {
  step: number;
  /** Ids of the calls. */
  calls: string[];
}

/** What a program does, as steps: each model call, each validation, and its end take one. */
export interface ProgramLog {
  /** The step of that name, taken when it is first asked for. Null: it would be beyond `most`. */
  claimStep(
    runId: string,
    key: string,
    call?: { most: number; agent: string; wire: string; fingerprint: string },
  ): Promise<number | null>;
  /** The call's answer, whole, to be handed out again if its client goes away. */
  keepAnswer(runId: string, step: number, answer: Json): Promise<void>;
  /** The client's connection broke before it had all of the answer. */
  clientGone(runId: string, step: number): Promise<void>;
  /** An answer to the same request whose client went away: handed out once. */
  takeAnswer(runId: string, fingerprint: string): Promise<{ step: number; answer: Json } | null>;
  openSteps(runId: string): Promise<OpenStep[]>;
  /** What the tools of a step brought, or why there is no answer. First write wins. */
  observe(runId: string, step: number, observation: string): Promise<void>;
  /** Calls of which nobody waits for the answer any more: lost, and paid as far as anybody knows. */
  giveUpCalls(runId: string): Promise<void>;
}
