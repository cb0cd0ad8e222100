import { z } from 'zod';
import { InfrastructureError } from '../../domain/errors.js';
import type { EvaluationOutcome } from '../../domain/ports/evaluator-port.js';
import type { TaskSpec } from '../../domain/task/task.js';

const resultSchema = z.discriminatedUnion('outcome', [
  // z.number() refuses NaN and infinities.
  z.strictObject({ outcome: z.literal('ok'), metrics: z.record(z.string(), z.number()) }),
  z.strictObject({ outcome: z.literal('rejected'), message: z.string(), starved: z.boolean().optional() }),
  z.strictObject({ outcome: z.literal('evaluator_error'), message: z.string() }),
]);

/**
 * Parses the line that images/evaluator/init.py prints; an invalid line is the evaluator's fault.
 * Throws InfrastructureError for no line: a killed engine may have lost it.
 */
export function readResult(stdout: string, task: TaskSpec): EvaluationOutcome {
  if (stdout.trim() === '') throw new InfrastructureError(`what the evaluator of ${task.id} printed is lost`);
  let json: unknown;
  try {
    json = JSON.parse(stdout);
  } catch {
    return {
      kind: 'evaluator_error',
      message: `evaluator of ${task.id} printed no result, but ${JSON.stringify(stdout.slice(0, 80))}`,
    };
  }
  const parsed = resultSchema.safeParse(json);
  if (!parsed.success)
    return { kind: 'evaluator_error', message: `evaluator of ${task.id}: ${z.prettifyError(parsed.error)}` };
  const result = parsed.data;
  if (result.outcome === 'rejected')
    return { kind: 'rejected', message: result.message, ...(result.starved === true && { starved: true }) };
  if (result.outcome !== 'ok') return { kind: result.outcome, message: result.message };
  const declared = Object.keys(task.metrics).sort();
  const given = Object.keys(result.metrics).sort();
  if (declared.join('\n') !== given.join('\n'))
    return {
      kind: 'evaluator_error',
      message: `evaluator of ${task.id} returned metrics ${given.join(', ')}; declared are ${declared.join(', ')}`,
    };
  return { kind: 'ok', metrics: result.metrics };
}
