import { formatScore, formatUsd } from '../../domain/text/format.js';
import type { Colors } from 'picocolors/types.js';
import { formatSpan, shortId } from './format.js';
import { renderTable, type Column } from './table.js';
import type { RunSummary } from '../../domain/views/runs.js';

export function phase(run: Pick<RunSummary, 'status' | 'endReason' | 'finalEvaluation'>): string {
  if (run.status !== 'ended') return run.status.replace('_', ' ');
  const end = run.endReason ?? 'ended';
  return run.finalEvaluation === null || run.finalEvaluation === 'ok' || run.finalEvaluation === 'not_run'
    ? end
    : `${end} (${run.finalEvaluation.replace('_', ' ')})`;
}

export function coloredPhase(run: RunSummary, colors: Colors): string {
  const text = phase(run);
  if (run.status !== 'ended') return run.status === 'queued' ? colors.dim(text) : colors.cyan(text);
  if (run.endReason === 'infra_error' || run.endReason === 'config_error') return colors.red(text);
  if (run.endReason === 'cancelled') return colors.yellow(text);
  return run.finalEvaluation === 'ok' ? colors.green(text) : colors.yellow(text);
}

export function runColumns(colors: Colors): Column<RunSummary>[] {
  return [
    { title: 'run', value: (run) => shortId(run.runId) },
    { title: 'model', value: (run) => run.model },
    { title: 'task', value: (run) => run.task + (run.sample ? colors.yellow(' (sample)') : '') },
    { title: 'try', value: (run) => String(run.attempt), align: 'right' },
    { title: 'phase', value: (run) => coloredPhase(run, colors) },
    {
      title: 'step',
      value: (run) => (run.maxSteps === 0 ? String(run.steps) : `${run.steps}/${run.maxSteps}`),
      align: 'right',
    },
    {
      title: 'best',
      value: (run) => formatScore(run.bestScore) + (run.suspect > 0 || run.flags.length > 0 ? colors.yellow(' !') : ''),
      align: 'right',
    },
    { title: 'final', value: (run) => formatScore(run.finalScore), align: 'right' },
    { title: 'cost', value: (run) => formatUsd(run.costUsd), align: 'right' },
    { title: 'time', value: (run) => formatSpan(run.startedAt, run.endedAt), align: 'right' },
  ];
}

/** Names of the rules that fired: `protected write, no model call`. */
const flagNames = (flags: RunSummary['flags']): string => flags.map(({ rule }) => rule.replaceAll('_', ' ')).join(', ');

/** Omitted while empty. */
function flagsColumn(runs: readonly RunSummary[], colors: Colors): Column<RunSummary>[] {
  if (runs.every(({ flags }) => flags.length === 0)) return [];
  return [{ title: 'flags', value: ({ flags }) => colors.yellow(flagNames(flags)) }];
}

export const renderRuns = (runs: readonly RunSummary[], colors: Colors): string =>
  runs.length === 0 ? 'No runs.' : renderTable(runs, [...runColumns(colors), ...flagsColumn(runs, colors)], colors);
