import { z } from 'zod';
import { PROGRAM_CLIENTS } from '../agent/program.js';
import { countSchema, runIdSchema, usdSchema } from './values.js';

const gatewayRunSchema = z
  .strictObject({
    runId: runIdSchema,
    agent: z.string(),
    model: z.string(),
    task: z.string(),
    hostId: z.string().nullable().describe('whose worker serves it; null: none yet'),
    client: z.enum(PROGRAM_CLIENTS).describe('what the program speaks'),
    calls: countSchema.describe('answered'),
    replayed: countSchema.describe('answers that a program in a new container got from the record'),
    costUsd: usdSchema,
  })
  .meta({ id: 'GatewayRun' });
export type GatewayRun = z.infer<typeof gatewayRunSchema>;

export const gatewayDocumentSchema = z
  .strictObject({
    address: z.string().describe('within the container of each such run'),
    routes: z.array(z.string()),
    agents: z.array(z.string()).describe('configurations that are programs'),
    runs: z.array(gatewayRunSchema).describe('that have not ended'),
  })
  .meta({ id: 'Gateway' });
export type GatewayDocument = z.infer<typeof gatewayDocumentSchema>;
