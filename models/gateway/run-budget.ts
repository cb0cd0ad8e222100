import { setTimeout as sleep } from 'node:timers/promises';
import { Unrecoverable } from '../../domain/errors.js';
import type { EndReason } from '../../domain/run/outcomes.js';
import type { MeteredCall, MeteredResult } from '../../domain/ports/metered-calls.js';
import type { CallLedger } from '../../domain/ports/record/call-ledger.js';
import type { EventLog } from '../../domain/ports/record/events.js';
import { addUsd, compareUsd } from '../../domain/model/price.js';
import { ProviderError } from '../../domain/model/provider-error.js';
import type { RunDefinition } from '../../domain/run/run.js';
import { reserveTurn } from '../reserve-turn.js';

const LOOK_MS = 500;

/** Limits for concurrent calls: each sees what others reserve. */
export class RunBudget {
  private readonly open = new Set<number>();
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: CallLedger & EventLog,
    private readonly run: RunDefinition,
  ) {}

  /** The attempt's number, or the end reason. Waits for calls in flight, which may free budget. */
  async reserve(
    call: MeteredCall,
    at: { reservedUsd: string; endpoint: string; until: number },
  ): Promise<number | MeteredResult> {
    for (;;) {
      const tried = await this.alone(() => this.tryToReserve(call, at));
      if (tried !== 'wait') return tried;
      if (Date.now() > at.until)
        return {
          kind: 'fault',
          begun: false,
          fault: new ProviderError(
            'overloaded',
            this.run.model.provider,
            'calls under way hold what is left of the budget',
          ),
        };
      await sleep(LOOK_MS);
    }
  }

  ended(step: number): void {
    this.open.delete(step);
  }

  private alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  private async tryToReserve(
    { step, wire, body }: MeteredCall,
    { reservedUsd, endpoint }: { reservedUsd: string; endpoint: string },
  ): Promise<number | 'wait' | MeteredResult> {
    const limit = await this.limit(reservedUsd);
    if (limit === 'wait') return 'wait';
    if (limit === 'cost') await this.store.noteRefused(this.run.runId, reservedUsd);
    if (limit !== null) return { kind: 'limit', endReason: limit };
    const { provider, model } = this.run.model;
    const key = { runId: this.run.runId, step, try: 0 };
    const row = { provider, model, messages: wire.messages(body), reservedUsd, endpoint, tellsSending: true };
    const reserved = await reserveTurn(this.store, this.run, key, row);
    if (reserved.kind === 'wait') return 'wait';
    if (reserved.kind === 'end') return { kind: 'limit', endReason: reserved.endReason };
    if (reserved.kind === 'reply') throw new Error(`run ${this.run.runId}: step ${step} has an answer already`);
    this.open.add(step);
    return reserved.attempt;
  }

  private async limit(reservedUsd: string): Promise<EndReason | 'wait' | null> {
    const { runId, costLimitUsd = null, tokenLimit = 0 } = this.run;
    if (costLimitUsd === null && tokenLimit === 0) return null;
    const { confirmedUsd, unconfirmedUsd, tokens } = await this.store.spending(runId);
    if (tokenLimit > 0 && tokens >= tokenLimit) return 'tokens';
    if (costLimitUsd === null) return null;
    if (compareUsd(addUsd(confirmedUsd, reservedUsd), costLimitUsd) > 0) return 'cost';
    if (compareUsd(addUsd(confirmedUsd, unconfirmedUsd, reservedUsd), costLimitUsd) <= 0) return null;
    if (this.open.size > 0) return 'wait';
    throw new Unrecoverable(
      `calls whose answers were lost may have cost $${unconfirmedUsd}; with $${confirmedUsd} spent and up to $${reservedUsd} ` +
        `for the next call, that exceeds the cost limit of $${costLimitUsd}`,
    );
  }
}
