import type { Fence } from '../domain/ports/record/steps.js';
import { endsForGood, isWorkerShutdown } from './cancellation.js';
import type { TakenTurn } from './step-in-memory.js';

export class DeadlineReached extends Error {
  override name = 'DeadlineReached';
}

interface UnderWay {
  fence: Fence;
  abort: AbortController;
  result: Promise<TakenTurn>;
}

/** A turn outlives its activity: the next one adopts it, so that no answer is requested twice. */
export class TurnsUnderWay {
  readonly #turns = new Map<string, UnderWay>();

  /** Rejects when `signal` aborts; the turn itself ends only with its run, worker or deadline. */
  async take(
    { runId, step }: { runId: string; step: number },
    token: string,
    signal: AbortSignal,
    begin: (fence: Fence, signal: AbortSignal) => Promise<TakenTurn>,
  ): Promise<TakenTurn> {
    signal.throwIfAborted();
    const key = `${runId}/${step}`;
    const turn = this.#turns.get(key) ?? this.#begin(key, token, begin);
    turn.fence.token = token;
    try {
      return await settledOrAborted(turn.result, signal);
    } catch (error) {
      if (endsTurns(signal)) {
        turn.abort.abort(signal.reason);
        await turn.result.catch(() => undefined);
      }
      throw error;
    }
  }

  #begin(key: string, token: string, begin: (fence: Fence, signal: AbortSignal) => Promise<TakenTurn>): UnderWay {
    const abort = new AbortController();
    const fence = { token };
    const result = begin(fence, abort.signal).finally(() => this.#turns.delete(key));
    // It may fail while no activity waits for it.
    result.catch(() => undefined);
    const turn = { fence, abort, result };
    this.#turns.set(key, turn);
    return turn;
  }
}

const endsTurns = (signal: AbortSignal): boolean =>
  endsForGood(signal) || isWorkerShutdown(signal) || (signal.aborted && signal.reason instanceof DeadlineReached);

function settledOrAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
