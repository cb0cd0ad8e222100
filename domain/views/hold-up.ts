import { z } from 'zod';

export const HOLD_UPS = ['disk', 'artifacts', 'host', 'provider', 'gpus', 'services', 'temporal'] as const;

/** `provider`: its error or its rate limit; `gpus`: other runs have them. */
export const holdUpSchema = z
  .strictObject({ cause: z.enum(HOLD_UPS), detail: z.string().describe('in words') })
  .meta({ id: 'HoldUp', description: 'What holds a batch up, the first of those that its runs wait for.' });
export type HoldUp = z.infer<typeof holdUpSchema>;
