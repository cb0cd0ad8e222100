import type { Client } from '@temporalio/client';
import { decodeReply, type DecodedReply, encodeReply } from '../../domain/agent/reply-encoding.js';
import { BenchError } from '../../domain/errors.js';
import type { TurnKey } from '../../domain/ports/player.js';
import type { Turns } from '../../domain/ports/turns.js';
import { notifyAnswered } from '../../temporal/notify-answered.js';
import { isOutage } from '../as-bench-error.js';

export interface GivenAnswer {
  reply: DecodedReply;
  counts: boolean;
  /** False: the run is notified within seconds of the services' return. */
  delivered: boolean;
}

export interface AnswerPorts {
  turns: Pick<Turns, 'answer'>;
  temporal(): Promise<Client>;
}

/**
 * Stores the reply of a run that is played from outside, then notifies the run. The first answer
 * counts; repeating it is safe.
 * @throws BenchError (not_found) if no such turn was requested, or its run ended without an answer.
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
      // The answer is stored: a worker notices that the run was not notified, and notifies it.
      if (isOutage(error)) return false;
      throw error;
    });
  return { reply: decodeReply(answered.reply), counts: answered.counts, delivered };
}
