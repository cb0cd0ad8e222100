import { z } from 'zod';

/** A recorded run to replay: each reply of the model, and the observation that it saw. */
export const recordingSchema = z.strictObject({
  /** Who wrote the file: MLGym or SWE-agent (`.traj`), or `bench trajectory`, as JSON. */
  format: z.enum(['mlgym', 'bench']),
  /** The model's replies, in order. Empty: the run ended before the first usable one. */
  steps: z.array(
    z.strictObject({
      /** The model's raw reply; with tool calls, as agent/reply-encoding.ts writes it. */
      response: z.string(),
      thought: z.string(),
      /** The command that was run. */
      action: z.string(),
      /** What the model was shown after it. */
      observation: z.string(),
    }),
  ),
  /** Entries without a reply: forced ends (`exit_*`), steps without a usable reply. */
  omitted: z.number().int().min(0),
  /** How it ended, in the words of the file; null where it does not say. */
  endedBy: z.string().nullable(),
  /** The metrics of each successful evaluation, in order. */
  scores: z.array(z.record(z.string(), z.number())),
  /** The agent's folder, to distinguish its paths from ours; null: the file does not say. */
  workspace: z.string().nullable(),
});
export type Recording = z.infer<typeof recordingSchema>;
export type RecordedStep = Recording['steps'][number];
