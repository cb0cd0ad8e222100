import type { PersonAnswer, PersonRun } from '../../../domain/requests/person-turn.js';
import type { Bench } from '../../../operations/bench.js';
import { answerAsPerson, personTurn } from '../../../operations/turns/person-turn.js';
import { startPersonRun } from '../../../operations/turns/start-person-run.js';
import type { Handler } from '../call.js';

export function personHandlers(bench: Bench): Record<string, Handler> {
  return {
    turn: ({ params }) => personTurn(bench, params['id'] ?? ''),
    'person answers': ({ params, body }) => answerAsPerson(bench, params['id'] ?? '', body as unknown as PersonAnswer),
    'person starts': async ({ body }) => {
      const { task, ...options } = body as unknown as PersonRun;
      return { runId: await startPersonRun(bench, task, options) };
    },
  };
}
