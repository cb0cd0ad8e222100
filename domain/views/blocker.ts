import { z } from 'zod';

const BLOCKER_CAUSES = ['disk', 'artifacts', 'host', 'provider', 'gpus', 'services', 'temporal'] as const;

/** `provider`: its error or its rate limit; `gpus`: other runs have them. */
export const blockerSchema = z
  .strictObject({ cause: z.enum(BLOCKER_CAUSES), detail: z.string().describe('in words') })
  .meta({ id: 'Blocker', description: 'The first cause that keeps a batch from making progress.' });
export type Blocker = z.infer<typeof blockerSchema>;
