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
};
