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
});
export type ToolState = z.infer<typeof toolStateSchema>;
