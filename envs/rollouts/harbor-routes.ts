import { Hono } from 'hono';
import { z } from 'zod';
import { taskAt } from '../../operations/episodes/fresh-run.js';
import { checked } from '../checked.js';
import type { ServerContext } from '../context.js';
import { json } from '../http-errors.js';
import { bodyOf, type ServerEnv } from '../request.js';
import { splitType } from '../task-api.js';

const place = z.number().int().min(0);
const splitSchema = z.object({ split: z.string().default('') });
const taskSchema = splitSchema.extend({ index: place });
const rangeSchema = splitSchema.extend({ start: place.nullish(), stop: place.nullish() });

interface TaskRef {
  index: number;
  task_id: string;
  task_name: string;
  dataset: string;
  instruction: string;
}

/** Lists of harbor_env's tasks, which begin nothing. */
export function harborRoutes({ env }: ServerContext): Hono<ServerEnv> {
  const splitOf = (split: string): string => (split === '' ? (env.splits[0] ?? '') : split);
  const refOf = async (dataset: string, index: number): Promise<TaskRef> => {
    const id = taskAt(env, dataset, index);
    const { task } = await env.template(id);
    return { index, task_id: id, task_name: task.name, dataset, instruction: task.description };
  };
  const app = new Hono<ServerEnv>();
  app.get('/harbor_env/splits', (c) =>
    json(
      c,
      env.splits.map((name) => ({ name, type: splitType(name), num_tasks: env.split(name).length })),
    ),
  );
  app.post('/harbor_env/num_tasks', async (c) => {
    const { split } = checked(splitSchema, (await bodyOf(c)) ?? {});
    return json(c, { num_tasks: env.split(splitOf(split)).length });
  });
  app.post('/harbor_env/task', async (c) => {
    const { split, index } = checked(taskSchema, (await bodyOf(c)) ?? {});
    return json(c, { task: await refOf(splitOf(split), index), env_name: 'harbor_env' });
  });
  app.post('/harbor_env/task_range', async (c) => {
    const { split, start, stop } = checked(rangeSchema, (await bodyOf(c)) ?? {});
    const dataset = splitOf(split);
    const wanted = env
      .split(dataset)
      .map((_id, index) => index)
      .slice(start ?? 0, stop ?? undefined);
    const tasks = await Promise.all(wanted.map((index) => refOf(dataset, index)));
    return json(c, { tasks, env_name: 'harbor_env' });
  });
  return app;
}
