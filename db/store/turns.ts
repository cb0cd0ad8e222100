import type { ChatMessage } from '../../domain/model.js';
import type { Turns, OpenTurn } from '../../domain/ports/turns.js';
import { type Statements, storable } from '../statements.js';

/** Questions to people who play, and their replies. */
export function turnStore(run: Statements): Turns {
  return {
    async ask(turn, messages) {
      await run(
        'ask',
        `insert into turns (run_id, step, try, messages) values ($1, $2, $3, $4::jsonb) on conflict do nothing`,
        [turn.runId, turn.step, turn.try, JSON.stringify(messages.map(storableMessage))],
      );
    },

    async reply(turn) {
      const [row] = await run<{ reply: string | null }>(
        'reply',
        `select reply from turns where run_id = $1 and step = $2 and try = $3`,
        [turn.runId, turn.step, turn.try],
      );
      return row?.reply ?? null;
    },

    async open(runId) {
      const [row] = await run<OpenTurn>(
        'open',
        `select t.run_id as "runId", t.step, t.try, t.messages from turns t
         join runs r on r.run_id = t.run_id
         where t.run_id = $1 and t.reply is null and r.status <> 'ended'
         order by t.step desc, t.try desc limit 1`,
        [runId],
      );
      return row ?? null;
    },

    async answer(turn, reply) {
      const key = [turn.runId, turn.step, turn.try];
      await run(
        'answer',
        `update turns set reply = $4, replied_at = now()
         where run_id = $1 and step = $2 and try = $3 and reply is null`,
        [...key, storable(reply)],
      );
      return this.reply(turn);
    },
  };
}

/** jsonb refuses NUL characters, which commands print. */
const storableMessage = (message: ChatMessage): ChatMessage => ({ ...message, content: storable(message.content) });
