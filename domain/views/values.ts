import { z } from 'zod';
import { INTEGRITY_RULES } from '../run/integrity-rules.js';
import { MODEL_KINDS } from '../model/model.js';
import { BATCH_STATUSES, END_REASONS, FINAL_EVALUATIONS, RUN_STATUSES } from '../run/outcomes.js';
import { BACKENDS, ORIGINS } from '../run/run.js';

/** Shared by documents. Values with an id are described once, by name, in the reference. */

export const timeSchema = z.iso.datetime().meta({ id: 'Time', description: 'ISO 8601 in UTC' });
export const usdSchema = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .meta({ id: 'Usd', description: 'US dollars, an exact decimal string' });
export const runIdSchema = z.string().startsWith('r-');
export const batchIdSchema = z.string().startsWith('b-');
export const countSchema = z.int().nonnegative();
export const scoreSchema = z.number().nullable();
/** A command that is not over has none; one that a signal ended has 128 and its number. */
export const exitCodeSchema = z.int();

export const originSchema = z
  .enum(ORIGINS)
  .meta({ id: 'Origin', description: 'played here; imported from MLGym; from an export' });
export const backendSchema = z.enum(BACKENDS).meta({ id: 'Backend' });
export const isolationSchema = z.enum(['container', 'none']).meta({ id: 'Isolation' });
export const scoredIsolationSchema = z.enum([...isolationSchema.options, 'import']);
export const modelKindSchema = z.enum(MODEL_KINDS).meta({ id: 'ModelKind' });
export const runStatusSchema = z.enum(RUN_STATUSES).meta({ id: 'RunStatus' });
export const batchStatusSchema = z.enum(BATCH_STATUSES).meta({ id: 'BatchStatus' });
export const endReasonSchema = z
  .enum(END_REASONS)
  .meta({ id: 'EndReason', description: '`api`, `runtime` and `unknown`: imported runs only' });
export const finalEvaluationSchema = z
  .enum(FINAL_EVALUATIONS)
  .meta({ id: 'FinalEvaluation', description: 'at submit or a forced end' });
export const directionSchema = z.enum(['maximize', 'minimize']).meta({ id: 'Direction' });
export const integrityRuleSchema = z.enum(INTEGRITY_RULES).meta({ id: 'IntegrityRule' });
