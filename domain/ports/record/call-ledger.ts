import type { ChatMessage, ModelReply } from '../../model/model.js';
import type { RunEvent } from './events.js';
import type { Fence } from './steps.js';

/** One model call: retries of the activity find their predecessor's row. */
export interface ModelCallKey {
  runId: string;
  step: number;
  /** 0: the step's first reply; 1 and 2: requeries. */
  try: number;
  /** Of the calling attempt; absent: unfenced. */
  fence?: Fence;
}

export type ReservedCall =
  /** Already answered and paid: do not call again. */
  | { kind: 'stored'; reply: ModelReply; ms: number }
  /** `attempt`: from 1. `earlierAttempts`: how many were cut off unanswered. */
  | { kind: 'reserved'; attempt: number; earlierAttempts: number }
  /** Another worker made the call and waits for its answer until it gives up. */
  | { kind: 'elsewhere'; worker: string; givesUpInMs: number }
  /** The batch's budget has no room. `open`: settling calls in flight may make room. */
  | { kind: 'over_budget'; open: boolean };

/** An answer cost more than reserved: the model's factor rises to this one, and never falls. */
export interface DearerAnswer {
  account: string;
  model: string;
  factor: number;
  event: RunEvent;
}

/** Model calls and costs: reserved before sending, settled or failed afterwards. */
export interface CallLedger {
  /** Write the attempt row before a call, or find the stored answer. */
  reserveCall(
    key: ModelCallKey,
    request: {
      provider: string;
      model: string;
      messages: ChatMessage[];
      reservedUsd: string;
      /** Host and path. */
      endpoint?: string | undefined;
      /** `sendingCall` follows before sending; otherwise the call counts as sent from now on. */
      tellsSending?: boolean;
      /** The calling process. */
      worker?: string | undefined;
      /** How long `worker` waits for the answer; absent: others do not wait for it. */
      boundMs?: number | undefined;
      /** Dead processes, whose calls are not waited for. */
      gone?: readonly string[];
    },
  ): Promise<ReservedCall>;
  /** The run's own cost limit has no room for a call that might cost so much. */
  noteRefused(runId: string, reservedUsd: string): Promise<void>;
  /** Call just before sending. Throws Stale, to stop the call, if its reservation was released. */
  sendingCall(key: ModelCallKey, attempt: number): Promise<void>;
  /** Release reservations of these runs' unsent calls; those calls are then not made. */
  releaseUnsent(runIds: readonly string[]): Promise<void>;
  modelHasAnswered(batchId: string, model: string): Promise<boolean>;
  /** Multiplies the estimate that calls reserve; at least 1. */
  reservationFactor(account: string, model: string): Promise<number>;
  storedAnswer(key: ModelCallKey): Promise<{ reply: ModelReply; ms: number } | null>;
  /** Store the answer and its cost; adds to the run's tokens and cost exactly once. */
  settleCall(
    key: ModelCallKey,
    reply: ModelReply,
    ms: number,
    /** `attempt`: store only if this is the question's latest attempt. */
    more?: { dearer?: DearerAnswer | undefined; attempt?: number },
  ): Promise<void>;
  /**
   * The call brought no answer. `billed` unknown, as after a cut connection: its reservation counts
   * as spent. The event is written in the same transaction, so that a crash loses no fault.
   */
  failCall(
    key: ModelCallKey,
    errorType: string,
    billed: 'no' | 'unknown',
    /** `attempt`: record only if this is the question's latest attempt. */
    more?: { event?: RunEvent; detail?: string; retryAt?: Date; attempt?: number },
  ): Promise<void>;
  /**
   * `unconfirmedUsd`: reserved by calls whose answer was lost, including those of the over-budget
   * runs that this one continues. `tokens`: in and out.
   */
  spending(runId: string): Promise<{ confirmedUsd: string; unconfirmedUsd: string; tokens: number }>;
}
