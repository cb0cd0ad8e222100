import { z } from 'zod';
import { whole } from './fields.js';

/** No characters with a meaning for the shell. */
const word = (what: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9._:@-]+$/, `must be ${what}: letters, digits and . _ : @ - alone`)
    .meta({ placeholder: 'name' });

export const slurmJobSchema = z.strictObject({
  partition: word('a partition').optional().describe("partition; default: the cluster's"),
  account: word('an account').optional().describe('account that pays'),
  qos: word('a quality of service').optional().describe('quality of service'),
  hours: whole(1, 24 * 30)
    .default(4)
    .describe('time limit of a job'),
  cpus: whole(1, 1024).default(8).describe('CPUs of a job'),
  memoryGb: whole(1, 16_384).default(16).describe('memory of a job, GB'),
  gpus: whole(0, 64).default(0).describe('GPUs of a job'),
  slots: whole(1, 10_000).optional().describe('runs without GPUs at once in a job; default: as many as CPUs'),
  grace: whole(1, 3600)
    .default(25)
    .describe('seconds that handing runs on may take: less than KillWait, or GraceTime, of the cluster'),
});
export type SlurmJob = z.output<typeof slurmJobSchema>;
