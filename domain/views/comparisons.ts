import { z } from 'zod';
import { type ComparisonOptions, comparedSchema, changedBaselineSchema } from './leaderboard.js';
import { batchIdSchema, countSchema, scoreSchema, timeSchema } from './values.js';

/** Everything that a saved comparison fixes. */
export type FrozenOptions = ComparisonOptions & {
  models: string[];
  tasks: string[];
  /** Of each task. */
  contracts: Record<string, number>;
  /** Of each task; null: it has none. What its version is measured to have later does not count. */
  baselines: Record<string, number | null>;
  /** Of the baselines, and of the tasks; absent: it was saved before they were kept. */
  standardErrors?: Record<string, number | null> | undefined;
  targets?: Record<string, number | null> | undefined;
  axis: number;
};

export interface SavedComparison {
  name: string;
  createdAt: string;
  options: FrozenOptions;
}

const { models, tasks, k, mode, metric, include, sample, profile } = comparedSchema.shape;

export const comparisonDocumentSchema = z
  .strictObject({
    name: z.string(),
    createdAt: timeSchema,
    ...{ models, tasks, k },
    contracts: z.record(z.string(), countSchema).describe('by task'),
    baselines: z.record(z.string(), scoreSchema).describe('by task'),
    targets: z.record(z.string(), scoreSchema).nullable().describe('by task; null: not kept'),
    T: z.number().describe('as of a leaderboard'),
    ...{ mode, metric, include, sample, profile },
    batchId: batchIdSchema.nullable(),
  })
  .meta({ id: 'SavedComparison' });
export type ComparisonDocument = z.infer<typeof comparisonDocumentSchema>;

export const shownComparisonSchema = comparisonDocumentSchema
  .extend({
    changedBaselines: z.array(changedBaselineSchema).describe('baselines that are others by now'),
  })
  .meta({ id: 'ShownComparison' });
export type ShownComparison = z.infer<typeof shownComparisonSchema>;

export const comparisonsDocumentSchema = z.strictObject({ comparisons: z.array(comparisonDocumentSchema) });
export type ComparisonsDocument = z.infer<typeof comparisonsDocumentSchema>;

export const removedComparisonSchema = z.strictObject({ removed: z.string() });
export type RemovedComparison = z.infer<typeof removedComparisonSchema>;
