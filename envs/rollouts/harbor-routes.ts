import type { FastifyPluginCallback } from 'fastify';
import { z } from 'zod';
import { BenchError } from '../../domain/errors.js';
import { SPLITS } from '../../operations/episodes/reset.js';
import { checked } from '../checked.js';
import type { DoorContext } from '../context.js';
import { sendError } from '../http-errors.js';

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
export function harborRoutes({ env }: DoorContext): FastifyPluginCallback {
  const { tasks } = env;
  const splitOf = (split: string): string => {
    const named = split === '' ? SPLITS[0] : split;
    if (named !== undefined && SPLITS.includes(named)) return named;
    throw new BenchError('not_found', `no split ${JSON.stringify(split)}`, {
      remedy: `There are: ${SPLITS.join(', ')}.`,
    });
  };
  const refOf = async (dataset: string, index: number): Promise<TaskRef> => {
    const id = tasks[index];
    if (id === undefined)
      throw new BenchError('usage', `index ${index}: split ${dataset} has ${tasks.length} tasks, from 0`, {
        remedy: `Set it to at most ${tasks.length - 1}.`,
      });
    const { task } = await env.template(id);
    return { index, task_id: id, task_name: task.name, dataset, instruction: task.description };
  };
  return (app, _options, done) => {
    app.setErrorHandler((error, _request, reply) => sendError(reply, error));
    app.get('/harbor_env/splits', () => SPLITS.map((name) => ({ name, type: name, num_tasks: tasks.length })));
    app.post('/harbor_env/num_tasks', ({ body }) => {
      splitOf(checked(splitSchema, body ?? {}).split);
      return { num_tasks: tasks.length };
    });
    app.post('/harbor_env/task', async ({ body }) => {
      const { split, index } = checked(taskSchema, body ?? {});
      return { task: await refOf(splitOf(split), index), env_name: 'harbor_env' };
    });
    app.post('/harbor_env/task_range', async ({ body }) => {
      const { split, start, stop } = checked(rangeSchema, body ?? {});
      const dataset = splitOf(split);
      const wanted = tasks.map((_id, index) => index).slice(start ?? 0, stop ?? undefined);
      return { tasks: await Promise.all(wanted.map((index) => refOf(dataset, index))), env_name: 'harbor_env' };
    });
    done();
  };
}
