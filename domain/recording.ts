import { z } from 'zod';

/** A recorded run, ready to be played back: what the model replied in each step, and what it was shown then. */
export const recordingSchema = z.strictObject({
  steps: z
    .array(
      z.strictObject({
        /** The model's raw reply. */
        response: z.string(),
        thought: z.string(),
        /** The command that was run. */
        action: z.string(),
        /** What the model was shown after it. */
        observation: z.string(),
      }),
    )
    .min(1),
});
export type Recording = z.infer<typeof recordingSchema>;
