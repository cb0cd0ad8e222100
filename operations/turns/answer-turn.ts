import type { Client } from '@temporalio/client';
import { decodeReply, type DecodedReply, encodeReply } from '../../domain/agent/reply-encoding.js';
import { BenchError } from '../../domain/errors.js';
import type { TurnKey } from '../../domain/ports/player.js';
import type { Turns } from '../../domain/ports/turns.js';
import { notifyAnswered } from '../../temporal/notify-answered.js';
import { isOutage } from '../as-bench-error.js';

export interface GivenAnswer {
  /** The reply that counts: the first that was given. */
  reply: DecodedReply;
  /** True: this reply is the one that counts. */
  counts: boolean;
  /** Its run was notified. Otherwise it will be, within seconds of the services being up again. */
  delivered: boolean;
}

export interface AnswerPorts {
  turns: Pick<Turns, 'answer'>;
  temporal(): Promise<Client>;
}

/**
 * Answer a turn of a run that is played from outside: the reply is stored, then the run is
 * notified. The first answer counts. Repeating it changes nothing, so callers may repeat it when
 * they are not sure that it arrived.
 * @throws BenchError (not_found) if no such turn was requested, or its run ended without an answer
 * to it.
 */
export async function answerTurn(ports: AnswerPorts, turn: TurnKey, reply: DecodedReply): Promise<GivenAnswer> {
  const answered = await ports.turns.answer(turn, encodeReply(reply));
  if (answered === null)
    throw new BenchError(
      'not_found',
      `run ${turn.runId} is not waiting for an answer at step ${turn.step}, try ${turn.try}`,
      { code: 'turn.not_open' },
    );
  if (answered.heard) return { reply: decodeReply(answered.reply), counts: answered.counts, delivered: true };
  const delivered = await ports
    .temporal()
    .then((client) => notifyAnswered(client, turn))
    .catch((error: unknown) => {
      // The answer is stored: a worker finds that its run was not notified, and notifies it.
      if (isOutage(error)) return false;
      throw error;
    });
  return { reply: decodeReply(answered.reply), counts: answered.counts, delivered };
}
