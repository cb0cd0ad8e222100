import { Hono } from 'hono';
import { z } from 'zod';
import type { ServerContext } from './context.js';
import { json } from './http-errors.js';
import { bodyOf, type ServerEnv } from './request.js';

/** A server has one environment; tasks are rows of its splits. */
export const ENVIRONMENT = 'bench';

interface TaskRow {
  task: string;
}

const splitSchema = z.looseObject({ split: z.string() });
const taskSchema = z.looseObject({ split: z.string(), index: z.number().int() });
const rangeSchema = z.looseObject({
  split: z.string(),
  start: z.number().int().nullish(),
  stop: z.number().int().nullish(),
});

class Refusal extends Error {
  constructor(
    readonly status: 400 | 404 | 422,
    readonly detail: unknown,
  ) {
    super('refused');
  }
}

/** Lists of tasks for OpenEnv and ORS: `/list_environments`, `/bench/splits`, `/bench/tasks` … */
export function taskRoutes({ env }: ServerContext): Hono<ServerEnv> {
  const rows = (split: string): TaskRow[] => {
    if (!env.splits.includes(split)) throw new Refusal(404, `no split '${split}'; there are: ${env.splits.join(', ')}`);
    return env.split(split).map((task) => ({ task }));
  };
  const read = <Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> => {
    const result = schema.safeParse(body ?? {});
    if (!result.success) throw new Refusal(422, problemsOf(result.error));
    return result.data;
  };
  const known = (name: string): void => {
    if (name.toLowerCase() !== ENVIRONMENT)
      throw new Refusal(404, `unknown environment '${name}'; there is one: ${ENVIRONMENT}`);
  };
  const answers: Record<string, (body: unknown) => object> = {
    tasks: (body) => ({ tasks: rows(read(splitSchema, body).split), env_name: ENVIRONMENT }),
    num_tasks: (body) => ({ num_tasks: rows(read(splitSchema, body).split).length }),
    task(body) {
      const { split, index } = read(taskSchema, body);
      const all = rows(split);
      const task = index < 0 ? undefined : all[index];
      if (task === undefined) throw new Refusal(400, `no task ${index} in ${split}: it has ${all.length}, from 0`);
      return { task, env_name: ENVIRONMENT };
    },
    task_range(body) {
      const { split, start, stop } = read(rangeSchema, body);
      return { tasks: rows(split).slice(start ?? 0, stop ?? undefined), env_name: ENVIRONMENT };
    },
  };

  const app = new Hono<ServerEnv>().onError((thrown, c) => {
    if (!(thrown instanceof Refusal)) throw thrown;
    return json(c, { detail: thrown.detail }, thrown.status);
  });
  app.get('/list_environments', (c) => json(c, [ENVIRONMENT]));
  // ORS omits the environment if there is only one.
  for (const prefix of ['', '/:env']) {
    app.get(`${prefix}/splits`, (c) => {
      known(c.req.param('env') ?? ENVIRONMENT);
      return json(
        c,
        env.splits.map((name) => ({ name, type: splitType(name) })),
      );
    });
    for (const [route, answer] of Object.entries(answers))
      app.post(`${prefix}/${route}`, async (c) => {
        const body = await bodyOf(c);
        known(c.req.param('env') ?? ENVIRONMENT);
        return json(c, answer(body));
      });
  }
  return app;
}

/** One of the kinds of ORS, by how the split's name begins. */
export function splitType(name: string): 'train' | 'validation' | 'test' {
  if (/^train/i.test(name)) return 'train';
  return /^(val|dev)/i.test(name) ? 'validation' : 'test';
}

/** FastAPI's form: where, what, kind. */
export function problemsOf({ issues }: z.ZodError): { loc: (string | number)[]; msg: string; type: string }[] {
  return issues.map(({ path, message, code }) => ({
    loc: ['body', ...path.map((part) => (typeof part === 'symbol' ? String(part) : part))],
    msg: message,
    type: code,
  }));
}
