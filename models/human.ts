import { setTimeout as sleep } from 'node:timers/promises';
import { decodeReply } from '../domain/agent/reply-encoding.js';
import type { ModelPort } from '../domain/ports/model-port.js';
import type { Turns } from '../domain/ports/turns.js';
import { roughUsage } from './rough-usage.js';

/** People think for longer than this: a reply is seen soon, and a waiting run asks Postgres twice a second. */
const LOOK_MS = 500;

/**
 * The "provider" of people: puts the question to the terminal through Postgres, and waits for the reply, for days if need be. A reply
 * that came while nobody waited is found and used, once.
 */
export const humanModels = (turns: Pick<Turns, 'ask' | 'reply'>, lookMs = LOOK_MS): ModelPort => ({
  async complete(request, signal) {
    const { turn, messages } = request;
    if (turn === undefined) throw new Error('a person is asked in a run only: the turn is missing');
    await turns.ask(turn, messages);
    for (;;) {
      signal.throwIfAborted();
      const stored = await turns.reply(turn);
      if (stored === null) {
        // A wake-up by the signal ends above, with the signal's own reason.
        await sleep(lookMs, undefined, { signal }).catch(() => undefined);
        continue;
      }
      const reply = decodeReply(stored);
      return {
        ...reply,
        usage: roughUsage(request, reply),
        costUsd: '0',
        finishReason: reply.toolCalls === undefined ? 'stop' : 'tool_calls',
      };
    }
  },
});
