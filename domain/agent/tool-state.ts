import { z } from 'zod';

/** A GPU as the sandbox sees it. */
export const gpuSchema = z.object({
  name: z.string().max(200),
  memoryMb: z.number().nonnegative(),
  usedMb: z.number().nonnegative(),
});

/** What the special commands remember between steps, as prompts show it. Reported by the sandbox, so by the agent's own world: only ever shown. */
export const toolStateSchema = z.object({
  /** Absolute path of the file that the editor commands have open; null: none. */
  openFile: z.string().max(4096).nullable(),
  /** Absent: nothing was reported. */
  gpus: z.array(gpuSchema).max(64).optional(),
  /** Records that this run has put into its task's memory so far; absent: none. Counted by us. */
  memoryWritten: z.number().int().nonnegative().optional(),
});
export type ToolState = z.infer<typeof toolStateSchema>;
