import type { RecordedEvaluation } from '../../../domain/ports/imports.js';
import type { MlgymEnd } from '../../../domain/mlgym/exit-status.js';
import type { MlgymTask } from '../../../domain/mlgym/tasks.js';
import { better, type Metrics } from '../../../domain/run/score.js';
import type { Json } from './read-json.js';
import type { Remarks } from './remarks.js';

export interface EvaluationSteps {
  steps: number;
  /** Steps whose action is `validate`; and those whose observation shows a score. */
  validates: readonly number[];
  valid: readonly number[];
}

export interface Scores {
  evaluations: RecordedEvaluation[];
  best: number | null;
  final: number | null;
}

/** Drops values that are not numbers. `broken`: names of metrics that are NaN or infinite. */
export function metricsOf(
  value: Json | undefined,
  file: string,
  key: string,
  remarks: Remarks,
): { metrics: Metrics; broken: string[] } | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    remarks.odd(file, key, 'wrong_type', 'an object of metrics was expected; omitted');
    return null;
  }
  const metrics: Metrics = {};
  const broken: string[] = [];
  for (const [name, number] of Object.entries(value)) {
    if (typeof number !== 'number') remarks.odd(file, `${key}.${name}`, 'wrong_type', 'a number was expected; omitted');
    else if (!Number.isFinite(number)) {
      broken.push(name);
      remarks.odd(file, `${key}.${name}`, 'not_a_number', 'NaN or infinite; omitted');
    } else Object.defineProperty(metrics, name, { value: number, enumerable: true });
  }
  return { metrics, broken };
}

/**
 * A run's scores as evaluations: one per successful evaluation, the last being final if the run's
 * end says that it succeeded. A failed final one gets a row without a score.
 */
export function recordedScores(
  scores: readonly Json[],
  source: { file: string; key: string },
  task: MlgymTask,
  end: MlgymEnd,
  at: EvaluationSteps,
  remarks: Remarks,
): Scores {
  const { file, key } = source;
  const finalKind = end.endReason === 'submit' ? 'submit' : 'forced';
  const read = scores.map((score, i) => ({ i, score: metricsOf(score, file, `${key}[${i}]`, remarks) }));
  const last = Math.max(at.steps, 1);
  const validated = end.finalEvaluation === 'ok' ? scores.length - 1 : scores.length;
  const places = locate(Math.max(validated, 0), at, remarks);
  const evaluations = read.flatMap(({ i, score }): RecordedEvaluation[] => {
    if (score === null) return [];
    const value = Object.hasOwn(score.metrics, task.metric) ? (score.metrics[task.metric] ?? null) : null;
    const broken = score.broken.includes(task.metric);
    if (value === null && !broken)
      remarks.odd(file, `${key}[${i}].${task.metric}`, 'missing_key', 'the metric that ranks is missing: no score');
    const { min, max } = task.bounds ?? {};
    return [
      {
        step: i >= validated ? last : (places[i] ?? i + 1),
        kind: i >= validated ? finalKind : 'validate',
        number: i + 1,
        // NaN is no score: as if the entry were missing.
        status: broken ? 'evaluator_error' : 'ok',
        metrics: score.metrics,
        primary: value,
        suspect: value !== null && ((min !== undefined && value < min) || (max !== undefined && value > max)),
        message: broken ? `the recorded ${task.metric} is not a number` : '',
      },
    ];
  });
  const values = evaluations.flatMap(({ primary }) => (primary === null ? [] : [primary]));
  const best = values.reduce<number | null>((a, b) => (a === null || better(task.direction, b, a) ? b : a), null);
  const final = evaluations.find(({ kind }) => kind !== 'validate')?.primary ?? null;
  const { finalEvaluation } = end;
  if (finalEvaluation !== 'ok' && finalEvaluation !== 'not_run')
    evaluations.push({
      step: last,
      kind: finalKind,
      number: scores.length + 1,
      status: finalEvaluation,
      metrics: null,
      primary: null,
      suspect: false,
      message: end.exitStatus ?? '',
    });
  return { evaluations, best, final };
}

/** The steps of this many successful validates: scores are recorded without theirs. */
function locate(count: number, { steps, validates, valid }: EvaluationSteps, remarks: Remarks): number[] {
  if (count === 0) return [];
  if (valid.length === count) return [...valid];
  if (validates.length === count) return [...validates];
  const guessed = new Set(valid.slice(Math.max(0, valid.length - count)));
  for (const step of validates) if (guessed.size < count) guessed.add(step);
  for (let step = 1; guessed.size < count; step += 1) guessed.add(step);
  if (steps > 0)
    remarks.odd(
      null,
      'trajectory',
      'evaluation_not_located',
      'there are not as many validates as scores: their steps are guessed',
    );
  return [...guessed].sort((a, b) => a - b);
}
