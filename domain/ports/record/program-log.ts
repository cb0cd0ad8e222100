import type { SplitRequest } from '../../gateway/request-parts.js';
import type { Json } from '../../gateway/json.js';

/** A step whose answer requests tools, with no results yet. */
export interface OpenStep {
  step: number;
  calls: string[];
}

export interface ProgramCall {
  /** The program's agent that calls; empty: its only one. */
  agent: string;
  wire: string;
  fingerprint: string;
  likeness: string;
}

/** A program's record as steps: each model call, each validation and its end take one. */
export interface ProgramLog {
  /** The step of that key, assigned at its first request. Null: it would exceed `most`. */
  claimStep(runId: string, key: string, epoch: number, call?: ProgramCall & { most: number }): Promise<number | null>;
  keepRequest(runId: string, step: number, request: SplitRequest): Promise<void>;
  /** The call's whole answer, kept for a client that disconnects and returns. */
  keepAnswer(runId: string, step: number, answer: Json): Promise<void>;
  /** The client disconnected before it had the whole answer. */
  clientDisconnected(runId: string, step: number): Promise<void>;
  /** Answer to the same request whose client disconnected; returned once. */
  takeAnswer(runId: string, fingerprint: string, epoch: number): Promise<{ step: number; answer: Json } | null>;
  /** First answer to a similar request of an earlier container, once per container. */
  replayAnswer(
    runId: string,
    epoch: number,
    call: Omit<ProgramCall, 'wire'>,
  ): Promise<{ step: number; answer: Json } | null>;
  /** Step of the same validation in an earlier container, until this one asks something new. */
  replayValidation(runId: string, epoch: number, number: number): Promise<number | null>;
  /** The program deviates from the record: returns how many of its agent's answers are skipped. */
  leaveRecord(runId: string, epoch: number, agent: string): Promise<number>;
  /** Token count for the same request, or for a similar one in an earlier container. */
  knownCount(runId: string, epoch: number, call: Omit<ProgramCall, 'wire'>): Promise<Json | null>;
  keepCount(
    runId: string,
    epoch: number,
    call: Omit<ProgramCall, 'wire'> & { request: SplitRequest; answer: Json },
  ): Promise<void>;
  /** In any of its containers. */
  askedModel(runId: string): Promise<boolean>;
  openSteps(runId: string): Promise<OpenStep[]>;
  /** Results of a step's tools, or why there is no answer. First write wins. */
  observe(runId: string, step: number, observation: string): Promise<void>;
  /** Calls whose callers are gone: their answers are lost, and count as paid. */
  giveUpCalls(runId: string): Promise<void>;
}
