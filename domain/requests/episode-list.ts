import { z } from 'zod';
import { whole } from './fields.js';

const filter = {
  group: z.string().min(1).optional().meta({ description: 'only episodes of this group', placeholder: 'key' }),
  policyVersion: whole(0).optional().describe('only episodes that this policy version started or acted in'),
  task: z.string().min(1).optional().meta({ description: 'only episodes of this task', placeholder: 'id' }),
  state: z.enum(['open', 'ended']).optional().describe('only open, or only ended ones'),
};

/** Of one training batch, or of all. */
export const episodeFilterSchema = z.strictObject({ batch: z.string().min(1).optional(), ...filter });
export type EpisodeFilter = z.output<typeof episodeFilterSchema>;

export const episodeListSchema = episodeFilterSchema.extend({
  limit: whole(1, 100_000).default(100).describe('number of episodes'),
});
export type EpisodeListRequest = z.input<typeof episodeListSchema>;

export const episodeExportSchema = episodeFilterSchema.extend({
  format: z
    .enum(['jsonl', 'air-agent'])
    .default('jsonl')
    .describe('one JSON line per episode, or a folder with a trajectory of air-agent per episode'),
  output: z.string().min(1).optional().meta({
    description: 'file to write, or folder for air-agent; default: stdout, or a folder named after the batch',
    placeholder: 'path',
  }),
});
export type EpisodeExportRequest = z.input<typeof episodeExportSchema>;
