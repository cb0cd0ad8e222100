import type { EvaluationOutcome } from '../ports/evaluator-port.js';
import type { EarlierScore } from '../ports/record/evaluations.js';
import { submissionNames } from '../run/submission-contract.js';
import { evaluationInMlgymWords } from '../mlgym/words.js';
import type { EvaluationKind } from '../run/run.js';
import { statedBaseline } from '../task/baseline.js';
import type { Split, TaskSpec } from '../task/task.js';
import type { Dialect } from './dialect.js';

export type Outcome = EvaluationOutcome | { kind: 'no_artefact'; message: string };

/**
 * The agent's view of an evaluation: only the validation split, if there is one. Even a failure on
 * the hidden test split stays hidden: a deliberate one could reveal its inputs.
 */
export function shownToAgent(
  task: TaskSpec,
  outcomes: ReadonlyMap<Split, Outcome>,
  context: { dialect: Dialect | undefined; kind: EvaluationKind; workspace: string },
): string {
  const shown = outcomes.get('validation') ?? outcomes.get('test');
  if (shown === undefined) throw new Error('an evaluation without an outcome');
  if (context.dialect === 'mlgym') return evaluationInMlgymWords({ task, ...context }, shown);
  const message = evaluationMessage(task, shown);
  return shown.kind === 'ok' && outcomes.has('validation')
    ? `${message}\n  These are scores on the validation split. The ranking uses a hidden test split.`
    : message;
}

/** For a `validate` beyond the limit: neither a score nor an error. */
export const noValidationLeft = (most: number): string =>
  most === 0
    ? '[validate: not scored. There are no validations here: `submit` scores the submission, and ends the run]'
    : `[validate: not scored. All ${most} validations are used: \`submit\` scores the submission, and ends the run]`;

export const storedScore = (step: number): string =>
  `  This submission equals that of step ${step}: this is its stored score.`;

export const validationsLeft = (left: number, most: number): string => `  validations left: ${left} of ${most}`;

const REJECTED = '[evaluation] The submission was rejected: ';

export const storedOutcome = ({ status, metrics, message }: EarlierScore): EvaluationOutcome =>
  status === 'ok' && metrics !== null
    ? { kind: 'ok', metrics }
    : { kind: 'rejected', message: message.startsWith(REJECTED) ? message.slice(REJECTED.length) : message };

export function evaluationMessage(task: TaskSpec, outcome: Outcome): string {
  const files = submissionNames(task.submission);
  switch (outcome.kind) {
    case 'ok': {
      const scores = Object.entries(outcome.metrics).map(([name, value]) => {
        const goal = task.metrics[name]?.direction === 'minimize' ? 'lower is better' : 'higher is better';
        return `  ${name} = ${Number(value.toPrecision(8))} (${goal})`;
      });
      const stated = statedBaseline(task);
      const baseline = stated === null ? 'not known' : `${task.primary} = ${stated.value}`;
      return [`[evaluation] The submission (${files}) is valid.`, ...scores, `  baseline: ${baseline}`].join('\n');
    }
    case 'no_artefact':
      return `[evaluation] There is no submission: ${outcome.message}. The task asks for ${files}, as regular files in the workspace.`;
    case 'rejected':
      return `${REJECTED}${outcome.message}`;
    case 'evaluator_error':
      return '[evaluation] The evaluation failed for a reason that is not yours. You may try again.';
  }
}
