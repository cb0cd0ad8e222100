import { z } from 'zod';
import { SEARCH_PLACES } from '../requests/search.js';
import { countSchema, runIdSchema } from './values.js';

const searchHitSchema = z
  .strictObject({
    runId: runIdSchema,
    model: z.string(),
    task: z.string(),
    attempt: countSchema,
    step: countSchema.nullable().describe('null: of the run, not of a step'),
    in: z.enum(SEARCH_PLACES),
    path: z.string().nullable().describe('of a file; null: elsewhere'),
    excerpt: z
      .strictObject({
        before: z.string(),
        match: z.string(),
        after: z.string(),
        at: countSchema.describe('characters before the match'),
        length: countSchema.describe('characters of the whole text'),
      })
      .meta({ id: 'SearchExcerpt' })
      .nullable()
      .describe('around its first match; null: not asked for'),
  })
  .meta({ id: 'SearchHit' });
export type SearchHit = z.infer<typeof searchHitSchema>;

const searchProgressSchema = z
  .strictObject({
    runs: countSchema.describe('searched'),
    totalRuns: countSchema,
    steps: countSchema,
    totalSteps: countSchema,
    bytes: countSchema.describe('of the texts that were searched'),
    hits: countSchema,
    skipped: countSchema.describe('steps that took too long; the pattern is too dear for them'),
  })
  .meta({ id: 'SearchProgress' });

/** What `bench search` prints: all that was found. */
export const searchDocumentSchema = searchProgressSchema
  .omit({ hits: true })
  .extend({ hits: z.array(searchHitSchema), more: z.boolean().describe('it stopped at its limit') })
  .meta({ id: 'Search' });
export type SearchDocument = z.infer<typeof searchDocumentSchema>;

/** What a search tells, in the order in which it is found: newest run first. */
export const searchMessages = {
  hits: z.strictObject({ hits: z.array(searchHitSchema) }),
  progress: searchProgressSchema,
  done: searchProgressSchema.extend({ more: z.boolean().describe('it stopped at its limit') }),
  failed: z.strictObject({ message: z.string(), remedy: z.string().nullable() }),
};
export type SearchMessages = { [Name in keyof typeof searchMessages]: z.infer<(typeof searchMessages)[Name]> };
export type SearchMessage = {
  [Name in keyof SearchMessages]: { event: Name; data: SearchMessages[Name] };
}[keyof SearchMessages];
