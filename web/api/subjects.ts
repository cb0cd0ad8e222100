import { z } from 'zod';
import { trendSchema } from '../../domain/views/trend.js';
import { playedListSchema, playedSchema } from '../../domain/views/subjects.js';
import { route } from './route.js';

const list = <const Path extends string>(path: Path, what: string) =>
  route({ method: 'GET', path, summary: `${what} that were played`, role: 'viewer', answer: playedListSchema });
const one = <const Path extends string>(path: Path, what: string) =>
  route({
    method: 'GET',
    path,
    summary: `${what}, its versions, and what came of its runs`,
    role: 'viewer',
    answer: playedSchema,
  });

export const subjectRoutes = {
  tasks: list('/tasks', 'tasks'),
  task: one('/tasks/:name', 'a task'),
  models: list('/models', 'models'),
  model: one('/models/:name', 'a model'),
  agents: list('/agents', 'agents'),
  agent: one('/agents/:name', 'an agent'),
  trend: route({
    method: 'GET',
    path: '/trend',
    summary: 'the scores of a model at a task, batch by batch',
    role: 'viewer',
    query: z.strictObject({ task: z.string().min(1), model: z.string().min(1) }),
    answer: trendSchema,
  }),
};
