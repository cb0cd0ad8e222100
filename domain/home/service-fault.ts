import { z } from 'zod';

/** A service of a home died, was killed, or lost its store. */
export const serviceFaultSchema = z.object({
  /** `store_replaced`: Temporal's store was damaged. Absent: the service ended. */
  kind: z.enum(['ended', 'store_replaced']).optional(),
  service: z.string(),
  /** When it was noticed, ISO 8601. */
  at: z.string(),
  reason: z.string(),
});
export type ServiceFault = z.infer<typeof serviceFaultSchema>;
