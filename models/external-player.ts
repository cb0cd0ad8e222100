import { decodeReply } from '../domain/agent/reply-encoding.js';
import type { Player } from '../domain/ports/player.js';
import type { CallLedger } from '../domain/ports/record/call-ledger.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { Turns } from '../domain/ports/turns.js';
import { beforeCall } from './before-call.js';
import { freeReply } from './free-reply.js';
import { reserveTurn } from './reserve-turn.js';

/** A person or trainer answers, outside the run's time; the workflow looks again then. */
export const externalPlayer = (store: CallLedger & EventLog, turns: Pick<Turns, 'ask'>): Player => ({
  async next(run, turn, prompt) {
    const before = await beforeCall(store, run, turn, '0', prompt);
    if (before !== null) return before;
    const answer = await turns.ask(turn, prompt);
    if (answer === null) return { kind: 'asked' };
    const { provider, model } = run.model;
    const { messages } = prompt;
    const reserved = await reserveTurn(store, run, turn, { provider, model, messages, reservedUsd: '0' });
    if (reserved.kind !== 'reserved') return reserved;
    const reply = freeReply(messages, decodeReply(answer));
    await store.settleCall(turn, reply, 0, { attempt: reserved.attempt });
    return { kind: 'reply', reply, ms: 0 };
  },
});
