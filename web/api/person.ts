import { personAnswerSchema, personRunSchema } from '../../domain/requests/person-turn.js';
import { personTurnSchema, startedRunSchema, takenAnswerSchema } from '../../domain/views/person-turn.js';
import { route } from './route.js';

export const personRoutes = {
  turn: route({
    method: 'GET',
    path: '/runs/:id/turn',
    summary: 'the turn of the person who plays this run',
    role: 'viewer',
    answer: personTurnSchema,
  }),
};

/** The first answer to a turn counts, so repeating one changes nothing. */
export const personActions = {
  'person answers': route({
    method: 'POST',
    path: '/runs/:id/turn',
    summary: 'answers the turn',
    role: 'operator',
    body: personAnswerSchema,
    answer: takenAnswerSchema,
  }),
  'person starts': route({
    method: 'POST',
    path: '/play',
    summary: 'starts a run that a person plays',
    role: 'operator',
    body: personRunSchema,
    answer: startedRunSchema,
  }),
};
