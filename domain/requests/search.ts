import { z } from 'zod';
import { runFilterSchema, searchTextSchema } from './run-filter.js';

/** `reply`: the model's text, from which thought and action were read; `file`: a submitted file. */
export const SEARCH_PLACES = ['thought', 'action', 'observation', 'reply', 'evaluation', 'event', 'file'] as const;
export type SearchPlace = (typeof SEARCH_PLACES)[number];
const USUAL: SearchPlace[] = ['thought', 'action', 'observation', 'evaluation', 'event'];

export const searchRequestSchema = runFilterSchema.omit({ contains: true, run: true }).extend({
  q: searchTextSchema,
  in: z.array(z.enum(SEARCH_PLACES)).min(1).max(SEARCH_PLACES.length).default(USUAL),
  run: z.string().min(1).max(100).optional().describe('of this run alone'),
  excerpts: z.boolean().default(true),
  limit: z.int().min(1).max(100_000).default(1000).describe('hits, after which it stops'),
});
export type SearchRequest = z.output<typeof searchRequestSchema>;
