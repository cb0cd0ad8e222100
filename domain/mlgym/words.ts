import type { EvaluationOutcome } from '../ports/evaluator-port.js';
import type { EvaluationKind } from '../run/run.js';
import type { StoppedBy } from '../ports/sandbox-port.js';
import type { TaskSpec } from '../task/task.js';

// MLGym's exact words: programs and recordings depend on these lines.

/** As Python prints it. */
export function pythonNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const text = String(value);
  const exponent = /^(.*)e([+-])(\d+)$/.exec(text);
  if (exponent !== null) return `${exponent[1]}e${exponent[2]}${exponent[3]!.padStart(2, '0')}`;
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

const pythonDict = (metrics: Readonly<Record<string, number>>): string =>
  `{${Object.entries(metrics)
    .map(([name, value]) => `'${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}': ${pythonNumber(value)}`)
    .join(', ')}}`;

/** At the end of a run only that it ended. */
export function evaluationInMlgymWords(
  { task, kind, workspace }: { task: TaskSpec; kind: EvaluationKind; workspace: string },
  outcome: EvaluationOutcome | { kind: 'no_artefact'; message: string },
): string {
  if (kind !== 'validate') return `Exited (${kind})`;
  switch (outcome.kind) {
    case 'ok': {
      const { files, folders } = task.submission;
      const value = task.baseline?.value;
      return [
        `Your code produced a valid submission artefact at ${workspace}/${files[0] ?? folders[0] ?? ''}.`,
        `Baseline Score: ${value === undefined ? 'NA (no baseline was there)' : pythonDict({ [task.primary]: value })}`,
        `Evaluation Score: ${pythonDict(outcome.metrics)}`,
      ].join('\n');
    }
    case 'no_artefact':
      return 'Submission artefact not found. You have to produce a valid submission artefact as described in the task description to validate your results.';
    case 'rejected':
      return `Failed to decode metrics from evaluation script. Output:\n---\n${outcome.message}\n---\nPlease make sure the evaluation script prints the metrics in json format.`;
    case 'evaluator_error':
      return 'Error: the evaluation failed for a reason that is not yours. You may try again.';
  }
}

/** An `edit` or `insert` whose text has no end. */
export const malformedInMlgymWords = (endName: string): string =>
  `Malformed edit command. Please ensure you use the \`${endName}\` keyword to mark the end of your edit.`;

/** Null: MLGym has no words for this limit. */
export function stoppedInMlgymWords(
  stoppedBy: StoppedBy | null,
  limits: { timeLimitSeconds: number; silenceLimitSeconds?: number | undefined },
): string | null {
  if (stoppedBy === 'silence')
    return `EXECUTION TIMED OUT BECAUSE NO OUTPUT WAS PRODUCED FOR MORE THAN ${limits.silenceLimitSeconds} SECONDS.`;
  return stoppedBy === 'workspace'
    ? null
    : `EXECUTION TIMED OUT BECAUSE THE COMMAND WAS RUNNING FOR MORE THAN ${limits.timeLimitSeconds} SECONDS.`;
}
