import type { ChatMessage, ModelReply } from '../../model/model.js';
import type { RunEvent } from './events.js';
import type { Fence } from './steps.js';

/** Names one model call: retries of the activity find their predecessor's row. */
export interface ModelCallKey {
  runId: string;
  step: number;
  /** 0 for the first reply of the step, 1 and 2 for the requeries. */
  try: number;
  /** Of the attempt that asks; absent: unfenced. */
  fence?: Fence;
}

export type ReservedCall =
  /** The answer is already here and paid for: do not ask again. */
  | { kind: 'stored'; reply: ModelReply; ms: number }
  /**
   * Nothing stored. `attempt`: how often this question has been put, with this one; `earlierAttempts`: how many of those before
   * were cut off before an answer was stored.
   */
  | { kind: 'reserved'; attempt: number; earlierAttempts: number }
  /** Another worker made the call and may still receive its answer, until it gives up. */
  | { kind: 'elsewhere'; worker: string; givesUpInMs: number }
  /** The batch's budget has no room. `open`: calls in flight hold so much that it may have when they are settled. */
  | { kind: 'over_budget'; open: boolean };

/** An answer cost more than was reserved: raises the model's factor to this one, never lowers it. */
export interface DearerAnswer {
  account: string;
  model: string;
  factor: number;
  event: RunEvent;
}

/** Model calls and their costs: reserved before they are sent, settled or failed afterwards. */
export interface CallLedger {
  /**
   * Write the attempt row before a call, or find the stored answer.
   * @throws Superseded if another attempt than the key's fence names has taken over the run's steps.
   */
  reserveCall(
    key: ModelCallKey,
    request: {
      provider: string;
      model: string;
      messages: ChatMessage[];
      reservedUsd: string;
      /** Host and path that it goes to. */
      endpoint?: string | undefined;
      /** `sendingCall` will be called before it is sent; otherwise it counts as sent from now on. */
      tellsSending?: boolean;
      /** The process that makes the call. */
      worker?: string | undefined;
      /** How long that one waits for the answer; absent: an unanswered call is not waited for. */
      boundMs?: number | undefined;
      /** Processes that are gone: their calls are not waited for. */
      gone?: readonly string[];
    },
  ): Promise<ReservedCall>;
  /** The call is about to be sent. Throws Stale, to stop it, if its reservation was released meanwhile. */
  sendingCall(key: ModelCallKey, attempt: number): Promise<void>;
  /** Release reservations of these runs' unsent calls, which are then no longer made. */
  releaseUnsent(runIds: readonly string[]): Promise<void>;
  /** Has a call of this model in the batch been answered? */
  modelHasAnswered(batchId: string, model: string): Promise<boolean>;
  /** Factor on the estimate that calls of the model reserve; at least 1. */
  reservationFactor(account: string, model: string): Promise<number>;
  /** The answer to the question, if one is stored. */
  storedAnswer(key: ModelCallKey): Promise<{ reply: ModelReply; ms: number } | null>;
  /** Store the answer and its cost; adds to the run's tokens and cost exactly once, and what it was dearer than. */
  settleCall(
    key: ModelCallKey,
    reply: ModelReply,
    ms: number,
    /** `attempt`: the answer is stored only while this is the question's latest attempt. */
    more?: { dearer?: DearerAnswer | undefined; attempt?: number },
  ): Promise<void>;
  /**
   * The call brought no answer: keep the error's type on the row. `billed` unknown, as after a cut connection: the call
   * counts as its reservation from then on. The event is written with it: a crash between them would lose a fault.
   */
  failCall(
    key: ModelCallKey,
    errorType: string,
    billed: 'no' | 'unknown',
    /** `attempt`: recorded only while this is the question's latest attempt. */
    more?: { event?: RunEvent; detail?: string; retryAt?: Date; attempt?: number },
  ): Promise<void>;
  /**
   * What the run has spent: confirmed by answers; reserved by calls whose answer was lost, with those of the runs that it continues
   * for, which the batch's budget had ended; its tokens in and out.
   */
  spending(runId: string): Promise<{ confirmedUsd: string; unconfirmedUsd: string; tokens: number }>;
}
