import { z } from 'zod';
import { whole } from './fields.js';

export const pruneRequestSchema = z.strictObject({
  snapshots: z
    .boolean()
    .default(false)
    .describe('snapshots of ended runs; later forks of these runs repeat their commands'),
  artifacts: z.boolean().default(false).describe('files of the artifact store that no row refers to'),
  images: z.boolean().default(false).describe('outdated images that no container uses'),
  keepDays: whole(0, 10_000).default(7).describe('keep what is younger'),
});
export type PruneRequest = z.output<typeof pruneRequestSchema>;

/** Without a named kind, all three. */
export function pruneRequest(input: z.input<typeof pruneRequestSchema>): PruneRequest {
  const request = pruneRequestSchema.parse(input);
  const named = request.snapshots || request.artifacts || request.images;
  return named ? request : { ...request, snapshots: true, artifacts: true, images: true };
}
