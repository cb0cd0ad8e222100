import type { SplitRequest } from '../../gateway/request-parts.js';
import type { Json } from '../../gateway/json.js';

/** A step whose answer asked for tools, and whose results have not been seen yet. */
export interface OpenStep {
  step: number;
  /** Ids of the calls. */
  calls: string[];
}

/** A model call as the record knows it. */
export interface ProgramCall {
  /** Which of the program's agents asks; empty: its only one. */
  agent: string;
  wire: string;
  fingerprint: string;
  likeness: string;
}

/** What a program does, as steps: each model call, each validation, and its end take one. */
export interface ProgramLog {
  /** The step of that name, taken when it is first asked for. Null: it would be beyond `most`. */
  claimStep(runId: string, key: string, epoch: number, call?: ProgramCall & { most: number }): Promise<number | null>;
  /** What was sent. */
  keepRequest(runId: string, step: number, request: SplitRequest): Promise<void>;
  /** The call's answer, whole, to be handed out again if its client goes away. */
  keepAnswer(runId: string, step: number, answer: Json): Promise<void>;
  /** The client's connection broke before it had all of the answer. */
  clientDisconnected(runId: string, step: number): Promise<void>;
  /** An answer to the same request whose client went away: handed out once. */
  takeAnswer(runId: string, fingerprint: string, epoch: number): Promise<{ step: number; answer: Json } | null>;
  /** The first answer to a like request of an earlier container that this container's program has not had. */
  replayAnswer(
    runId: string,
    epoch: number,
    call: Omit<ProgramCall, 'wire'>,
  ): Promise<{ step: number; answer: Json } | null>;
  /** The step of the same validation in an earlier container, while this one's program has asked nothing new. */
  replayValidation(runId: string, epoch: number, number: number): Promise<number | null>;
  /** The program of this container goes another way than those before: how many of its agent's answers are left behind. */
  leaveRecord(runId: string, epoch: number, agent: string): Promise<number>;
  /** A count of tokens that was made for the same request, or in an earlier container for a like one. */
  knownCount(runId: string, epoch: number, call: Omit<ProgramCall, 'wire'>): Promise<Json | null>;
  keepCount(
    runId: string,
    epoch: number,
    call: Omit<ProgramCall, 'wire'> & { request: SplitRequest; answer: Json },
  ): Promise<void>;
  /** Whether the program has made a model call, in any of its containers. */
  askedModel(runId: string): Promise<boolean>;
  openSteps(runId: string): Promise<OpenStep[]>;
  /** What the tools of a step brought, or why there is no answer. First write wins. */
  observe(runId: string, step: number, observation: string): Promise<void>;
  /** Calls whose callers have gone: their answers are lost, and count as paid. */
  giveUpCalls(runId: string): Promise<void>;
}
