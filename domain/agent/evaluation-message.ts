import type { EvaluationOutcome } from '../ports/evaluator-port.js';
import type { TaskSpec } from '../task.js';

/** What the agent is told about an evaluation that it asked for. */
export function evaluationMessage(
  task: TaskSpec,
  outcome: EvaluationOutcome | { kind: 'no_artefact'; message: string },
): string {
  const files = task.submission.files.join(', ');
  switch (outcome.kind) {
    case 'ok': {
      const scores = Object.entries(outcome.metrics).map(([name, value]) => {
        const goal = task.metrics[name]?.direction === 'minimize' ? 'lower is better' : 'higher is better';
        return `  ${name} = ${Number(value.toPrecision(8))} (${goal})`;
      });
      const baseline = task.baseline === undefined ? 'not known' : `${task.primary} = ${task.baseline.value}`;
      return [`[evaluation] The submission (${files}) is valid.`, ...scores, `  baseline: ${baseline}`].join('\n');
    }
    case 'no_artefact':
      return `[evaluation] There is no submission: ${outcome.message}. The task asks for ${files}, as regular files in the workspace.`;
    case 'rejected':
      return `[evaluation] The submission was rejected: ${outcome.message}`;
    case 'evaluator_error':
      return '[evaluation] The evaluation failed for a reason that is not yours. You may try again.';
  }
}
