import type { Colors } from 'picocolors/types.js';
import type { BatchForecast, UsageForecast } from '../../domain/views/forecast.js';
import type { BatchEstimate } from '../../domain/views/submissions.js';
import { formatBytes, formatCompact, formatDuration, formatUsd, plural } from '../../domain/text/format.js';
import { renderTable } from './table.js';

type Range = UsageForecast['costUsd'];

/** `$3.10 to $5.60, most likely $4.20`; `at most $12`, or unknown, where only limits are known. */
function rangeText({ low, expected, high }: Range, format: (value: number) => string): string {
  const most = high === null ? 'without a limit' : format(high);
  if (high !== null && format(low) === format(high)) return format(low);
  if (expected === null && low === 0) return high === null ? 'unknown, and no limit' : `at most ${most}`;
  const range = high === null ? `from ${format(low)}, ${most}` : `${format(low)} to ${most}`;
  return expected === null ? range : `${range}, most likely ${format(expected)}`;
}

const cost = (range: Range): string => rangeText(range, (usd) => formatUsd(String(usd)));
const time = (range: Range): string => rangeText(range, (hours) => formatDuration(hours * 3_600_000));

export const forecastLine = ({ costUsd, hours }: UsageForecast): string =>
  `forecast: cost ${cost(costUsd)}; time ${time(hours)}`;

export function renderForecast(
  { costUsd, tokens, hours, evidence, attempts }: BatchForecast,
  { gpus, peakGpus, peakMemoryMb, maxCostUsd, unpricedModels }: BatchEstimate,
): string {
  const perRun = gpus.min === gpus.max ? String(gpus.max) : `${gpus.min} to ${gpus.max}`;
  const counts = { runs: 0, other_agent: 0, imported: 0, limits: 0 };
  for (const { from, runs } of evidence) counts[from] += runs;
  const from = [
    ...(counts.runs === 0 ? [] : [`${plural(counts.runs, 'run')} from earlier ones of the same model, agent and task`]),
    ...(counts.other_agent === 0 ? [] : [`${counts.other_agent} from those of another agent`]),
    ...(counts.imported === 0 ? [] : [`${counts.imported} from imported ones of the same task`]),
    ...(counts.limits === 0 ? [] : [`${counts.limits} from limits alone`]),
  ];
  return [
    `GPUs: ${perRun} per run, at most ${peakGpus} at once`,
    `Memory: at most ${formatBytes(peakMemoryMb * 2 ** 20)} at once, besides evaluations`,
    `Cost: ${cost(costUsd)}; limits allow ${maxCostUsd === null ? `any (no price: ${unpricedModels.join(', ')})` : formatUsd(maxCostUsd)}`,
    `Tokens: ${rangeText(tokens, formatCompact)}`,
    `Time: ${time(hours)}`,
    `In nine of ten such batches. Forecast ${from.join(', ')}.`,
    attemptsLine(attempts),
  ].join('\n');
}

function attemptsLine(attempts: BatchForecast['attempts']): string {
  if (attempts === null)
    return 'Attempts: unknown how many distinguish two models; no model has played these tasks more than once';
  const { needed, spread, basedOnAttempts, ownModels } = attempts;
  const list = needed.map((one) => `${one.attempts} for a difference of ${one.difference}`).join(', ');
  return (
    `Attempts per model and task that distinguish two mean gains: ${list} ` +
    `(95 %, in four of five comparisons; gains vary by ${spread.toFixed(2)} in ${plural(basedOnAttempts, 'attempt')}${ownModels ? '' : ' of other models'})`
  );
}

const SOURCES = { runs: 'earlier', other_agent: 'of another agent', imported: 'imported' };

/** The source of each kind's forecast. */
export const renderEvidence = ({ evidence }: BatchForecast, colors: Colors): string =>
  renderTable(
    evidence,
    [
      { title: 'model', value: ({ model }) => model },
      { title: 'agent', value: ({ agent }) => agent },
      { title: 'task', value: ({ task }) => task },
      { title: 'runs', value: ({ runs }) => String(runs), align: 'right' },
      {
        title: 'forecast from',
        value: ({ from, basedOnRuns }) => (from === 'limits' ? 'limits' : `${basedOnRuns} ${SOURCES[from]}`),
      },
    ],
    colors,
  );
