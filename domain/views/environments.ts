import { z } from 'zod';
import { batchIdSchema, countSchema } from './values.js';

/** The line that a server of episodes prints when it is ready. */
export const environmentDocumentSchema = z
  .strictObject({
    url: z.url().describe('of clients; contains the token'),
    batchId: batchIdSchema.describe('of the runs that its episodes are'),
    name: z.string(),
    tasks: z.array(z.string()).describe('positions in its splits'),
    capacity: countSchema.describe('episodes that may be open at once'),
    pid: countSchema.describe('of the process that has the port'),
    serverPid: countSchema.describe('of the one behind it, which is started again when it dies'),
  })
  .meta({ id: 'Environment' });
export type EnvironmentDocument = z.infer<typeof environmentDocumentSchema>;
