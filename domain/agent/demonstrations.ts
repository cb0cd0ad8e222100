import { z } from 'zod';

/** A recorded run shown to the model; the registry reads it into the configuration. */
export const demonstrationSchema = z.strictObject({
  source: z.string(),
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string() })).min(1),
});
export type Demonstration = z.infer<typeof demonstrationSchema>;

const trajectory = z.object({ history: z.array(z.object({ role: z.string(), content: z.string() })) });

/**
 * Reads a `.traj` file's history without system messages. Entries are selected by role, not by the
 * recording agent, so every agent sees the same. Throws an Error.
 */
export function readDemonstration(text: string, source: string): Demonstration {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error('is not JSON', { cause });
  }
  const read = trajectory.safeParse(value);
  if (!read.success) throw new Error('has no "history": a list of messages with "role" and "content"');
  const messages = read.data.history.flatMap(({ role, content }) =>
    role === 'user' || role === 'assistant' ? [{ role, content: content.replaceAll('\0', '') } as const] : [],
  );
  if (messages.length === 0) throw new Error('has no messages of user and assistant in its "history"');
  return { source, messages };
}

/** The whole text, for `demonstration`. */
export const demonstrationText = (demonstration: Demonstration): string =>
  demonstration.messages.map(({ content }) => content).join('\n');
