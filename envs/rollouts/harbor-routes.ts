import type { FastifyPluginCallback } from 'fastify';
import { z } from 'zod';
import { taskAt } from '../../operations/episodes/fresh-run.js';
import { checked } from '../checked.js';
import type { ServerContext } from '../context.js';
import { sendError } from '../http-errors.js';
import { splitType } from '../task-api.js';

const place = z.number().int().min(0);
const splitSchema = z.object({ split: z.string().default('') });
const taskSchema = splitSchema.extend({ index: place });
const rangeSchema = splitSchema.extend({ start: place.nullish(), stop: place.nullish() });

/** What a trainer's dataset holds per row; names are the client's. */
interface TaskRef {
  index: number;
  task_id: string;
  task_name: string;
  dataset: string;
  instruction: string;
}

/** The lists of harbor_env: which tasks there are. They begin nothing. */
export function harborRoutes({ env }: ServerContext): FastifyPluginCallback {
  const splitOf = (split: string): string => (split === '' ? (env.splits[0] ?? '') : split);
  const refOf = async (dataset: string, index: number): Promise<TaskRef> => {
    const id = taskAt(env, dataset, index);
    const { task } = await env.template(id);
    return { index, task_id: id, task_name: task.name, dataset, instruction: task.description };
  };
  return (app, _options, done) => {
    app.setErrorHandler((error, _request, reply) => sendError(reply, error));
    app.get('/harbor_env/splits', () =>
      env.splits.map((name) => ({ name, type: splitType(name), num_tasks: env.split(name).length })),
    );
    app.post('/harbor_env/num_tasks', ({ body }) => ({
      num_tasks: env.split(splitOf(checked(splitSchema, body ?? {}).split)).length,
    }));
    app.post('/harbor_env/task', async ({ body }) => {
      const { split, index } = checked(taskSchema, body ?? {});
      return { task: await refOf(splitOf(split), index), env_name: 'harbor_env' };
    });
    app.post('/harbor_env/task_range', async ({ body }) => {
      const { split, start, stop } = checked(rangeSchema, body ?? {});
      const dataset = splitOf(split);
      const wanted = env
        .split(dataset)
        .map((_id, index) => index)
        .slice(start ?? 0, stop ?? undefined);
      return { tasks: await Promise.all(wanted.map((index) => refOf(dataset, index))), env_name: 'harbor_env' };
    });
    done();
  };
}
