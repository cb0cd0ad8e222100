import type { ChatMessage } from '../../domain/model/model.js';
import type { OpenTurn, Turns } from '../../domain/ports/turns.js';
import type { TurnKey } from '../../domain/ports/player.js';
import { EXTERNAL_PROVIDER } from '../../domain/run/queues.js';
import { type Statements, storable } from '../statements.js';

export function turnStore(query: Statements): Turns {
  /** False: the turn is answered. Waits for an answer being stored, which locks the row. */
  const listenUntil = async (
    { runId, step, try: requery }: TurnKey,
    until: string,
    more: unknown[],
  ): Promise<boolean> => {
    const rows = await query(
      'listen',
      `update turns set listened_until = ${until} where run_id = $1 and step = $2 and try = $3 and reply is null returning 1`,
      [runId, step, requery, ...more],
    );
    return rows.length > 0;
  };
  return {
    async ask(turn, { messages, tools }) {
      const key = [turn.runId, turn.step, turn.try];
      // Check for an answer first, to avoid sending the question, which may be long.
      const [row] = await query<{ reply: string | null }>(
        'ask',
        `select reply from turns where run_id = $1 and step = $2 and try = $3`,
        key,
      );
      if (row !== undefined) return row.reply;
      await query(
        'ask',
        `insert into turns (run_id, step, try, messages, tools) values ($1, $2, $3, $4::jsonb, $5::jsonb) on conflict do nothing`,
        [...key, JSON.stringify(messages.map(storableMessage)), tools === undefined ? null : JSON.stringify(tools)],
      );
      return null;
    },

    async open(scope) {
      const [column, id] = 'runId' in scope ? ['run_id', scope.runId] : ['batch_id', scope.batchId];
      return query<OpenTurn>(
        'open',
        `select distinct on (t.run_id) t.run_id as "runId", t.step, t.try, t.messages, t.tools, t.created_at as "requestedAt"
         from runs r join turns t on t.run_id = r.run_id
         where r.${column} = $1 and t.reply is null and t.messages is not null and r.status <> 'ended'
         order by t.run_id, t.step desc, t.try desc`,
        [id],
      );
    },

    async answer(turn, reply) {
      const [row] = await query<{ reply: string; counts: boolean; heard: boolean }>(
        'answer',
        `update turns t set reply = coalesce(t.reply, $4), replied_at = coalesce(t.replied_at, now())
         from runs r
         where t.run_id = $1 and t.step = $2 and t.try = $3 and r.run_id = t.run_id
           and (t.reply is not null or r.status <> 'ended')
         returning t.reply, t.reply = $4 as counts, coalesce(t.listened_until > now(), false) as heard`,
        [turn.runId, turn.step, turn.try, storable(reply)],
      );
      return row ?? null;
    },

    listen: (turn, ms) => listenUntil(turn, `now() + make_interval(secs => $4::float8 / 1000)`, [ms]),
    stopListening: (turn) => listenUntil(turn, 'null', []),

    async notTakenUp(seconds) {
      return query<TurnKey>(
        'notTakenUp',
        `select last.run_id as "runId", last.step, last.try
         from runs r cross join lateral (
           select t.* from turns t where t.run_id = r.run_id order by t.step desc, t.try desc limit 1
         ) last
         where r.status <> 'ended' and r.provider = $1 and last.replied_at < now() - make_interval(secs => $2)
           and not exists (
             select from model_calls c
             where c.run_id = last.run_id and c.step = last.step and c.try = last.try and c.status = 'confirmed'
           )`,
        [EXTERNAL_PROVIDER, seconds],
      );
    },
  };
}

/** jsonb refuses NUL characters, which commands may print. */
const storableMessage = (message: ChatMessage): ChatMessage => ({ ...message, content: storable(message.content) });
