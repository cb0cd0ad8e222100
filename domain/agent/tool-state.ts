import { z } from 'zod';

export const gpuSchema = z.object({
  name: z.string().max(200),
  memoryMb: z.number().nonnegative(),
  usedMb: z.number().nonnegative(),
});

/** State of the special commands for prompts. From the agent's own sandbox: only ever shown. */
export const toolStateSchema = z.object({
  /** Absolute path; null: none. */
  openFile: z.string().max(4096).nullable(),
  /** Absent: not reported. */
  gpus: z.array(gpuSchema).max(64).optional(),
  /** Records that this run added to its task's memory; absent: none. Counted by us. */
  memoryWritten: z.number().int().nonnegative().optional(),
  /** After the step, for agents whose prompts show it; null: no limit. Counted by us. */
  used: z
    .object({
      seconds: z.number().nonnegative(),
      ofSeconds: z.number().nullable(),
      usd: z.string().max(40),
      ofUsd: z.string().max(40).nullable(),
    })
    .optional(),
});
export type ToolState = z.infer<typeof toolStateSchema>;
