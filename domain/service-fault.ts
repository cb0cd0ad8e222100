import { z } from 'zod';

/** A service of a home died, or had to be killed, unasked. */
export const serviceFaultSchema = z.object({
  service: z.string(),
  /** When it was noticed, ISO 8601. */
  at: z.string(),
  reason: z.string(),
});
export type ServiceFault = z.infer<typeof serviceFaultSchema>;
