import type { Colors } from 'picocolors/types.js';
import type { ReplayedStep, ReplayedStepState } from '../../domain/recording/comparison.js';
import type { CliOutput } from '../context.js';
import { formatScore, oneLine, plural } from './format.js';
import { renderFields, renderTable } from './table.js';
import type { ReplayReport } from '../../domain/views/replay.js';

const STATES: Record<ReplayedStepState, string> = {
  same: 'same',
  diverges: 'diverges',
  refused: 'refused',
  unfinished: 'no output',
  not_played: 'not played',
  added: 'added',
};

function colored(state: ReplayedStepState, colors: Colors): string {
  if (state === 'same') return colors.green(STATES[state]);
  return state === 'added' ? colors.dim(STATES[state]) : colors.yellow(STATES[state]);
}

const scoreList = (scores: readonly (number | null)[]): string =>
  scores.length === 0 ? 'none' : scores.map(formatScore).join(', ');

function summary(report: ReplayReport): string {
  const parts = [`${report.same} of ${plural(report.recorded, 'observation')} are the same`];
  if (report.diverged > 0) parts.push(`${report.diverged} diverge`);
  if (report.refused > 0) parts.push(`${plural(report.refused, 'command')} refused by the agent`);
  if (report.notPlayed > 0) parts.push(`${report.notPlayed} not played`);
  return parts.join(', ');
}

export function renderReplay(report: ReplayReport, { colors, width }: Pick<CliOutput, 'colors' | 'width'>): string {
  const cell = Math.max(16, Math.floor((width - 30) / 3));
  const side = (line: string | null | undefined): string =>
    line === undefined ? '' : line === null ? '(no line)' : oneLine(line, cell);
  const steps = renderTable<ReplayedStep>(
    report.steps,
    [
      { title: 'step', value: ({ step }) => String(step), align: 'right' },
      { title: 'action', value: ({ action }) => oneLine(action.trim().split('\n')[0] ?? '', cell) },
      { title: 'observation', value: ({ state }) => colored(state, colors) },
      { title: 'line', value: ({ difference }) => String(difference?.line ?? ''), align: 'right' },
      { title: 'recorded', value: ({ difference }) => side(difference?.recorded) },
      { title: 'now', value: ({ difference }) => side(difference?.now) },
    ],
    colors,
  );
  const { recording, scores } = report;
  const end = report.status === 'ended' ? (report.exitStatus ?? '') || (report.endReason ?? '') : report.status;
  const fields: (readonly [string, string])[] = [
    ['run', colors.bold(report.runId)],
    ['recording', report.model],
    ['task', `${report.task}, agent ${report.agent}, ${report.backend}`],
    ['observations', summary(report)],
    [`${scores.primary} recorded`, scoreList(scores.recorded)],
    [`${scores.primary} now`, scoreList(scores.now)],
    ['ended recorded', recording.endedBy ?? 'not known'],
    ['ended now', end],
    ...(recording.omitted === 0
      ? []
      : [['omitted', `${plural(recording.omitted, 'entry', 'entries')} that no model replied`] as const]),
    ...(report.detail === null ? [] : [['detail', colors.red(oneLine(report.detail, 500))] as const]),
  ];
  return `${steps}\n\n${renderFields(fields, colors)}`;
}
