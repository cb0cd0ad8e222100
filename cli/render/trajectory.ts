import { formatDuration, formatScore } from '../../domain/text/format.js';
import type { Colors } from 'picocolors/types.js';
import { printable } from '../terminal-text.js';
import { indent } from './format.js';
import type { EvaluationDetail } from '../../domain/views/runs.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';

export function evaluationLine(evaluation: EvaluationDetail): string {
  const score = evaluation.status === 'ok' ? ` ${formatScore(evaluation.primary)}` : '';
  const on = evaluation.split === 'test' ? '' : ` on ${evaluation.split}`;
  const from = evaluation.fromStep === null ? '' : ` (the submission of step ${evaluation.fromStep})`;
  return `${evaluation.kind}${on}: ${evaluation.status.replace('_', ' ')}${score}${evaluation.suspect ? ' (suspect)' : ''}${from}`;
}

export function commandEnd(step: TrajectoryStep): string {
  const code = step.lost ? 'command lost' : step.timedOut ? 'timed out' : `exit code ${step.exitCode ?? 'unknown'}`;
  return step.commandMs === null ? code : `${code}, ${formatDuration(step.commandMs)}`;
}

function renderStep(step: TrajectoryStep, colors: Colors): string {
  const parts = [colors.bold(`── step ${step.step}${step.copied ? ' (copied)' : ''} ──`)];
  // Programs have steps with a text alone, or without an answer.
  if (step.action === null && step.thought === '' && step.observation === null) {
    parts.push(
      colors.yellow('no reply of this step could be parsed; the last one:'),
      indent(printable(step.response), '  '),
    );
    return parts.join('\n');
  }
  if (step.thought !== '') parts.push(printable(step.thought));
  if (step.action !== null) parts.push(colors.cyan(`$ ${printable(step.action).replace(/\n/g, '\n> ')}`));
  if (step.action === null) {
    if (step.observation !== null) parts.push(printable(step.observation).trimEnd());
  } else if (step.observation === null) parts.push(colors.dim('(still running, or cut off)'));
  else {
    if (step.observation !== '') parts.push(printable(step.observation).trimEnd());
    parts.push(colors.dim(`(${commandEnd(step)})`));
  }
  for (const evaluation of step.evaluations)
    parts.push(
      colors.green(evaluationLine(evaluation)),
      ...(evaluation.fault === null ? [] : [colors.red(indent(printable(evaluation.fault), '  '))]),
    );
  return parts.join('\n');
}

export const renderTrajectory = (steps: readonly TrajectoryStep[], colors: Colors): string =>
  steps.length === 0 ? 'No steps yet.' : steps.map((step) => renderStep(step, colors)).join('\n\n');
