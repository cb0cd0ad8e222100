import { z } from 'zod';
import { gpuSetting } from '../gpus.js';
import { names, whole } from './fields.js';

/** What a worker does and takes; what is left out is as its environment says. */
export const workerRequestSchema = z.strictObject({
  host: z.string().optional().meta({
    description: 'stable name of this machine; default: made once per home',
    placeholder: 'name',
  }),
  gpus: z
    .string()
    // Throws a BenchError of its own, which says what to write.
    .refine((text) => gpuSetting(text))
    .optional()
    .meta({
      description: 'GPUs that runs may lease: 0,1 or auto (all that nvidia-smi lists; the default) or none',
      placeholder: 'ids',
    }),
  slots: whole(1, 10_000).optional().describe('runs at the same time; default: 64'),
  evaluations: whole(1, 10_000).optional().describe('evaluations at the same time; default: as many as CPUs'),
  memoryMb: whole(1)
    .optional()
    .describe("most that the runs' memory limits may come to together; default: not counted"),
  roles: names().optional().meta({
    description: 'what it does: workflows, models, host, by commas; default: all',
    placeholder: 'roles',
  }),
  metrics: z.string().optional().meta({
    description: 'show figures for Prometheus at /metrics there; without a host on 127.0.0.1',
    placeholder: '[host:]port',
  }),
});
export type WorkerRequest = z.output<typeof workerRequestSchema>;
