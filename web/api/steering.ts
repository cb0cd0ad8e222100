import { z } from 'zod';
import { BATCH_ACTIONS, HOST_ACTIONS, RUN_ACTIONS } from '../../domain/run/steering.js';
import { labelsSchema } from '../../domain/requests/deletion.js';
import { actionResultSchema, previewSchema } from '../../domain/views/steering.js';
import { type Route, route } from './route.js';

/** Options besides the preview's tag. */
const options = {
  budget: {
    usd: z
      .string()
      .regex(/^\d{1,9}(\.\d{1,10})?$/)
      .describe('the new budget, US dollars'),
  },
  label: labelsSchema,
  retry: { all: z.boolean().default(false).describe('also runs that ended as config_error') },
  fork: {
    step: z.int().min(1).describe('the last step to copy'),
    attempts: z.int().min(1).max(1000).default(1),
    model: z.string().min(1).optional(),
    maxSteps: z.int().min(1).optional(),
  },
} as const;
type Options = Record<string, Record<string, z.ZodType>>;

/** An action, and its preview below `/preview`. POST requires the header `Idempotency-Key`. */
const pair = <Name extends string>(of: string, action: Name) => {
  const fields = (options as Options)[action] ?? {};
  return {
    act: route({
      method: 'POST',
      path: `/${of}/:id/${action}`,
      summary: `${action}, as \`bench\` does`,
      role: 'operator',
      body: z.strictObject({ tag: z.string().describe('of the preview'), ...fields }),
      answer: actionResultSchema,
    }),
    preview: route({
      method: 'GET',
      path: `/${of}/:id/${action}/preview`,
      summary: `what \`${action}\` would do now`,
      role: 'operator',
      query: z.strictObject(fields),
      answer: previewSchema,
    }),
  };
};

const pairs = (of: string, actions: readonly string[]): Record<string, Route> => {
  const routes: Record<string, Route> = {};
  for (const action of actions) {
    const { act, preview } = pair(of, action);
    routes[`${of} ${action}`] = act;
    routes[`${of} ${action} preview`] = preview;
  }
  return routes;
};

export const steeringRoutes = {
  ...pairs('batches', BATCH_ACTIONS),
  ...pairs('runs', RUN_ACTIONS),
  ...pairs('hosts', HOST_ACTIONS),
};
