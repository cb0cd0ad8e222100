import { z } from 'zod';

/** What the special commands remember between steps, as prompts show it. Reported by the sandbox, so by the agent's own world: only ever shown. */
export const toolStateSchema = z.object({
  /** Absolute path of the file that the editor commands have open; null: none. */
  openFile: z.string().max(4096).nullable(),
});
export type ToolState = z.infer<typeof toolStateSchema>;
