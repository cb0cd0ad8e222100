import { formatUsd, plural } from '../../domain/text/format.js';
import type { Colors } from 'picocolors/types.js';
import { batchState, nextCommand } from './batch-state.js';
import { forecastLine } from './forecast.js';
import { formatSpan } from './format.js';
import { blockerLine, lastStep } from './blocker.js';
import { providerTroubleLine } from './provider-trouble.js';
import { renderRuns } from './runs.js';
import type { BatchDocument, BatchStatusReport } from '../../domain/views/batches.js';

/** `b-… (name): running, 3 of 6 runs ended, 41 steps, $0, 12 s`; a trainer's say episodes. */
export function batchHeadline(batch: BatchStatusReport, colors: Colors): string {
  const name = batch.name === null ? '' : ` (${batch.name})`;
  const time = formatSpan(batch.startedAt, batch.endedAt);
  return (
    `${colors.bold(batch.batchId)}${name}: ${batch.status}${batch.origin === 'bench' ? '' : ` (imported: ${batch.origin})`}, ${batch.ended} of ${plural(batch.runs, batch.training ? 'episode' : 'run')} ended, ` +
    `${plural(batch.steps, 'step')}, ${formatUsd(batch.costUsd)}${time === '–' ? '' : `, ${time}`}`
  );
}

/** Faults of runs that failed through no fault of the agent, each fault once. */
export function batchFaults({ runList }: Pick<BatchStatusReport, 'runList'>): string[] {
  const runs = new Map<string, string[]>();
  for (const { runId, endReason, detail } of runList) {
    if (endReason !== 'infra_error' && endReason !== 'config_error') continue;
    const fault = `${endReason}: ${detail ?? 'no details recorded'}`;
    runs.set(fault, [...(runs.get(fault) ?? []), runId]);
  }
  return [...runs].map(([fault, [first = '', ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${plural(others.length, 'other run')}`;
    return `${first}${more}: ${fault}`;
  });
}

/** Ends by a limit or a format, each reason once with the sentence of its first run. */
function batchEnds({ runList }: Pick<BatchStatusReport, 'runList'>): string[] {
  const ended = runList.filter(({ ending, endReason }) => ending !== null && !EXPLAINED_ELSEWHERE.includes(endReason));
  const reasons = [...new Set(ended.map(({ endReason }) => endReason))];
  return reasons.map((reason) => {
    const [first, ...others] = ended.filter(({ endReason }) => endReason === reason);
    const more = others.length === 0 ? '' : ` and ${plural(others.length, 'other run')}`;
    return `${first!.runId}${more}: ${reason}: ${first!.ending!.why}${first!.ending!.next === null ? '' : `. ${first!.ending!.next}`}`;
  });
}

/** Faults have their own lines, and \`Next:\` names what continues the others. */
const EXPLAINED_ELSEWHERE: readonly (string | null)[] = ['submit', 'infra_error', 'config_error', 'cancelled'];

export function renderBatch(batch: BatchStatusReport, colors: Colors): string {
  const faults = batchFaults(batch);
  const ends = batchEnds(batch);
  const open = batch.endedAt === null && batch.startedAt !== null;
  const blockedBy = blockerLine(batch);
  return [
    batchHeadline(batch, colors),
    ...(blockedBy === null ? [] : [colors.yellow(`  ${blockedBy}`)]),
    ...(blockedBy === null && open ? [`  ${lastStep(batch.lastStepAt)}`] : []),
    ...(batch.forecast === null ? [] : [colors.dim(`  ${forecastLine(batch.forecast)}`)]),
    ...(batch.allocation === null ? [] : [`  attempts: ${batch.allocation.detail}`]),
    ...batchState(batch).map((line) => `  ${line}`),
    '',
    renderRuns(batch.runList, colors),
    ...(batch.providerErrors.length === 0 ? [] : ['']),
    ...batch.providerErrors.map((trouble) => colors.yellow(providerTroubleLine(trouble))),
    ...(faults.length === 0 ? [] : ['', ...faults.map((fault) => colors.red(fault))]),
    ...(ends.length === 0 ? [] : ['', ...ends.map((end) => colors.yellow(end))]),
    '',
    colors.dim(`Next: ${nextCommand(batch)}`),
  ].join('\n');
}

function shared<T>(values: readonly T[]): T | null {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? first : null;
}

/** The JSON form: `runs` is the list of runs, as everywhere. */
export function batchDocument(batch: BatchStatusReport): BatchDocument {
  const { runs, runList, ...rest } = batch;
  return {
    ...rest,
    next: nextCommand(batch),
    waitingFor: batchState(batch),
    endReason: shared(runList.map((run) => run.endReason)),
    finalEvaluation: shared(runList.map((run) => run.finalEvaluation)),
    bestScore: shared(runList.map((run) => run.bestScore)),
    finalScore: shared(runList.map((run) => run.finalScore)),
    totalRuns: runs,
    runs: runList,
  };
}
