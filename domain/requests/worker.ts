import { z } from 'zod';
import { gpuSetting } from '../run/gpus.js';
import { timeOfText } from '../text/time-of-text.js';
import { names, whole } from './fields.js';

/** Omitted options come from the environment. */
export const workerRequestSchema = z.strictObject({
  host: z.string().optional().meta({
    description: 'stable name of this machine; default: chosen once per home',
    placeholder: 'name',
  }),
  gpus: z
    .string()
    // Throws its own BenchError, which says what to write.
    .refine((text) => gpuSetting(text))
    .optional()
    .meta({
      description: 'GPUs that runs may lease: ids such as 0,1; auto (all that nvidia-smi lists; the default); or none',
      placeholder: 'ids',
    }),
  slots: whole(1, 10_000).optional().describe('concurrent runs; default: 64'),
  evaluations: whole(1, 10_000).optional().describe('concurrent evaluations; default: the number of CPUs'),
  memoryMb: whole(1).optional().describe("cap on the sum of the runs' memory limits, in MB; default: none"),
  roles: names().optional().meta({
    description: 'comma-separated roles: workflows, models, host; default: all',
    placeholder: 'roles',
  }),
  until: z
    .string()
    .refine((text) => timeOfText(text) !== null, 'must be a time, as 2030-01-31T18:00:00Z, or seconds since 1970')
    .optional()
    .meta({
      description: 'when this machine goes: runs that may take longer are not taken, others are handed on before',
      placeholder: 'time',
    }),
  grace: whole(1, 86_400).optional().describe('seconds that handing its runs on may take; default: 25'),
  metrics: z.string().optional().meta({
    description: 'serve Prometheus metrics at /metrics there; default host: 127.0.0.1',
    placeholder: '[host:]port',
  }),
});
export type WorkerRequest = z.output<typeof workerRequestSchema>;
