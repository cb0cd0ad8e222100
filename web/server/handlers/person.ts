import { answerAsPerson, personTurn } from '../../../operations/turns/person-turn.js';
import { startPersonRun } from '../../../operations/turns/start-person-run.js';
import type { personActions, personRoutes } from '../../api/person.js';
import type { Handlers } from '../call.js';
import type { PortsOf } from '../../../operations/ports-of.js';

type PersonPorts = PortsOf<typeof personTurn | typeof answerAsPerson | typeof startPersonRun>;

export function personHandlers(ports: PersonPorts): Handlers<typeof personRoutes & typeof personActions> {
  return {
    turn: ({ params }) => personTurn(ports, params.id),
    'person answers': ({ params, body }) => answerAsPerson(ports, params.id, body),
    'person starts': async ({ body }) => {
      const { task, ...options } = body;
      return { runId: await startPersonRun(ports, task, options) };
    },
  };
}
