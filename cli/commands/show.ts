import { formatPercent, formatScore, formatUsd, plural } from '../../domain/text/format.js';
import type { Command } from 'commander';
import { showRun } from '../../operations/results/show-run.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { formatSpan, formatTime, oneLine } from '../render/format.js';
import { providerTroubleLine } from '../render/provider-trouble.js';
import { endingText } from '../render/ending.js';
import { coloredPhase } from '../render/runs.js';
import { renderFields, renderTable } from '../render/table.js';
import { worldFields } from '../render/world.js';
import type { RunDetail } from '../../domain/views/runs.js';

/** Omits empty parts: most providers do not bill cache writes. */
function tokensText(usage: RunDetail['usage']): string {
  const part = (count: number, what: string): string[] => (count === 0 ? [] : [`${count} ${what}`]);
  const cached = [
    ...part(usage.cachedTokens, 'from the cache'),
    ...part(usage.cacheWriteTokens ?? 0, 'written to the cache'),
  ];
  const reasoning = part(usage.reasoningTokens, 'of reasoning');
  const of = (parts: string[]): string => (parts.length === 0 ? '' : ` (${parts.join(', ')})`);
  return `${usage.inputTokens} in${of(cached)}, ${usage.outputTokens} out${of(reasoning)}`;
}

function cacheText({ cachedTokens, inputTokens }: RunDetail['usage'], savedUsd: string): string {
  const saved = Number(savedUsd);
  const what = saved < 0 ? `cost ${formatUsd(String(-saved))} more than it saved` : `saved ${formatUsd(savedUsd)}`;
  return `${formatPercent(cachedTokens / inputTokens)} of the input was read from it, which ${what}`;
}

/** For imported runs the recorded cost, under that name: its price list differs. */
function costText({ origin, costUsd, recordedCostUsd, modelCalls }: RunDetail): string {
  const calls = modelCalls === null ? '' : `, ${modelCalls} model calls`;
  if (origin === 'bench' || (origin === 'import' && recordedCostUsd === null)) return `${formatUsd(costUsd)}${calls}`;
  return `${recordedCostUsd === null ? 'not recorded' : `${formatUsd(recordedCostUsd)} as recorded`}${calls}`;
}

function flagText({ rule, step, until, detail }: RunDetail['flags'][number]): string {
  const place =
    step === null ? '' : until === null || until === step ? `, step ${step}` : `, steps ${step} to ${until}`;
  return `${rule.replaceAll('_', ' ')}${place}: ${oneLine(detail, 300)}`;
}

/** Each once: what fails for one submission fails for the next. */
const faultsOf = ({ evaluationList }: RunDetail): string[] => [
  ...new Set(evaluationList.flatMap(({ fault }) => fault ?? [])),
];

function renderRun(run: RunDetail, context: CliContext): string {
  const { colors, width } = context.output;
  const fields: (readonly [string, string])[] = [
    ['run', colors.bold(run.runId)],
    ['batch', run.batchId],
    ...(run.origin === 'bench'
      ? []
      : [
          [
            'origin',
            run.origin === 'import' ? 'imported: played by another home' : `imported: played by ${run.origin}`,
          ] as const,
        ]),
    ['model', `${run.model} (${run.modelKind})`],
    ['task', `${run.task} (contract ${run.contract}, content ${run.taskHash.slice(0, 12)})`],
    ...(run.profile === null ? [] : [['profile', run.profile] as const]),
    ['attempt', `${run.attempt}, seed ${run.seed}`],
    ...(run.forkedFrom === null ? [] : [['fork of', `${run.forkedFrom}, after step ${run.forkedAtStep}`] as const]),
    ['agent', `${run.agent} (${run.agentHash.slice(0, 12)})`],
    ['phase', coloredPhase(run, colors)],
    ...(run.ending === null ? [] : [['ended', endingText(run, colors)] as const]),
    ...(run.tags.length === 0 ? [] : [['tags', run.tags.join(', ')] as const]),
    ...(run.note === null ? [] : [['note', oneLine(run.note, 500)] as const]),
    ...(run.providerError === null
      ? []
      : [['provider error', colors.yellow(providerTroubleLine(run.providerError))] as const]),
    ['steps', run.maxSteps === 0 ? String(run.steps) : `${run.steps} of ${run.maxSteps}`],
    ...(run.outOfMemory === 0
      ? []
      : [
          [
            'out of memory',
            colors.yellow(
              `in ${plural(run.outOfMemory, 'command')}: processes were killed at ${run.limits?.memoryMb ?? '?'} MB`,
            ),
          ] as const,
        ]),
    ['best score', `${formatScore(run.bestScore)} ${run.primary} (${run.direction})`],
    ['final score', formatScore(run.finalScore)],
    ['baseline', formatScore(run.baseline)],
    ...run.flags.map((flag) => ['flag', colors.yellow(flagText(flag))] as const),
    ...faultsOf(run).map((fault) => ['evaluator error', colors.red(oneLine(fault, 500))] as const),
    ['cost', costText(run)],
    ['tokens', tokensText(run.usage)],
    ...(run.cacheSavedUsd === null ? [] : [['cache', cacheText(run.usage, run.cacheSavedUsd)] as const]),
    ...run.endpoints.map((one) => ['endpoint', `${one.endpoint} (${plural(one.calls, 'call')})`] as const),
    ['backend', `${run.backend}${run.isolation === null ? '' : `, isolation ${run.isolation}`}`],
    ...worldFields(run),
    ['host', `${run.host ?? '–'}, container number ${run.epoch}`],
    ['created', formatTime(run.createdAt)],
    ['time', formatSpan(run.startedAt, run.endedAt)],
  ];
  const evaluations = renderTable(
    run.evaluationList,
    [
      { title: 'evaluation', value: (e) => String(e.number), align: 'right' },
      { title: 'step', value: (e) => String(e.step), align: 'right' },
      { title: 'kind', value: (e) => (e.fromStep === null ? e.kind : `${e.kind}, of step ${e.fromStep}`) },
      { title: 'split', value: (e) => e.split },
      { title: 'status', value: (e) => e.status.replace('_', ' ') },
      { title: 'score', value: (e) => formatScore(e.primary) + (e.suspect ? ' !' : ''), align: 'right' },
      { title: 'message', value: (e) => oneLine(e.fault ?? e.message, Math.max(20, width - 60)) },
    ],
    colors,
  );
  return [
    renderFields(fields, colors),
    ...(run.evaluationList.length === 0 ? [] : ['', evaluations]),
    '',
    colors.dim(`Steps in full: bench trajectory ${run.runId}`),
  ].join('\n');
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('show')
    .summary('show one run: settings, progress, evaluations')
    .description(
      'Show one run: its settings, its environment (limits, images, network), its progress, and each evaluation.',
    )
    .argument('<run>', 'id, or an unambiguous part of it')
    .action(async (ref: string) => {
      const run = await showRun(context, ref);
      context.output.json(run satisfies RunDetail);
      context.output.print(renderRun(run, context));
    });
  addExamples(command, [
    ['bench show r-01m7xx', 'any unambiguous start of an id'],
    ['bench show kdvxf2 --json', 'or its end, as JSON'],
  ]);
}
