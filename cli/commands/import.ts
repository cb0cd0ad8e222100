import { type Command, InvalidArgumentError } from 'commander';
import type { MlgymTask } from '../../domain/mlgym/tasks.js';
import {
  type DirectoriesRequest,
  directoriesRequestSchema,
  type ExchangeRequest,
  exchangeRequestSchema,
  type ImportedPrice,
  type LinesRequest,
  linesRequestSchema,
} from '../../domain/requests/import.js';
import type { ImportDocument } from '../../domain/views/imports.js';
import { writeImportSummary } from '../../operations/records/import/import-summary.js';
import { checkWritable } from '../../operations/write-whole.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { plural } from '../../domain/text/format.js';
import { type ImportProgress, importProgress } from '../render/import-progress.js';
import { requestFields, requestOptions } from '../schema-flags.js';

interface ReportOption {
  report?: string;
}

/** `task=metric:max`, repeatable. */
function taskMetric(text: string, before: unknown): Record<string, MlgymTask> {
  const [, task, metric, end] = /^([^=]+)=(.+):(max|min)(?:imize)?$/.exec(text.trim()) ?? [];
  if (task === undefined || metric === undefined)
    throw new InvalidArgumentError('Write it as <task>=<metric>:max or <task>=<metric>:min.');
  return {
    ...(before as Record<string, MlgymTask> | undefined),
    [task]: { label: task, metric, direction: end === 'max' ? 'maximize' : 'minimize' },
  };
}

/** `model=input/output`, repeatable. */
function prices(text: string, before: unknown): Record<string, ImportedPrice> {
  const [, model, input, output] = /^([^=]+)=(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(text.trim()) ?? [];
  if (model === undefined)
    throw new InvalidArgumentError('Write it as <model>=<input>/<output>, in US dollars per million tokens.');
  return {
    ...(before as Record<string, ImportedPrice> | undefined),
    [model]: { input: Number(input), output: Number(output) },
  };
}

function summary(document: ImportDocument): string {
  const { imported, steps, existing, changed, failed, notReached, dryRun, batch, results } = document;
  const elsewhere = results.filter(({ remarks }) => remarks.some(({ kind }) => kind === 'in_other_batch')).length;
  const parts = [
    `${plural(imported, 'run')} with ${plural(steps, 'step')} ${dryRun ? 'would be ' : ''}imported into ${batch}`,
    ...(existing === 0
      ? []
      : [`${existing} already here${elsewhere === 0 ? '' : `, ${elsewhere} of them in another batch`}`]),
    ...(changed === 0 ? [] : [`${changed} changed since, kept as they were`]),
    ...(failed === 0 ? [] : [`${failed} skipped`]),
    ...(notReached === 0 ? [] : [`${notReached} not read`]),
  ];
  return `${parts.join(', ')}.`;
}

/** Writes the report file before stdout, so that it exists even if stdout fails. */
async function tell(context: CliContext, document: ImportDocument, report: string | undefined): Promise<void> {
  if (report !== undefined) await writeImportSummary(report, document);
  context.output.json(document satisfies ImportDocument);
  context.output.print(summary(document));
  if (document.notReached > 0) context.setExitCode(130);
  else if (document.failed + document.changed > 0) context.setExitCode(1);
}

/** Fails before a long import if the report cannot be written. */
const checkReport = async (report: string | undefined): Promise<void> => {
  if (report !== undefined) await checkWritable(report, 'report');
};

async function importMlgym(
  context: CliContext,
  paths: string[],
  request: DirectoriesRequest,
  report: string | undefined,
): Promise<void> {
  // Loads the readers of foreign files only here.
  const { importRunDirectories } = await import('../../operations/records/import/import-run-directories.js');
  let progress: ImportProgress | null = null;
  await checkReport(report);
  const document = await importRunDirectories(context, paths, request, {
    signal: context.onInterrupt(),
    onFound: (directories) => (progress = importProgress(context.output, directories)),
    onDirectory: (done, number) => progress?.done(done, number),
  }).finally(() => progress?.stop());
  await tell(context, document, report);
}

async function importFrom(
  context: CliContext,
  format: 'atif' | 'inspect',
  paths: string[],
  request: ExchangeRequest,
  report: string | undefined,
): Promise<void> {
  const { importExchanged } = await import('../../operations/records/import/exchange/import-exchanged.js');
  let progress: ImportProgress | null = null;
  await checkReport(report);
  const document = await importExchanged(context, format, paths, request, {
    signal: context.onInterrupt(),
    onFound: (files) => (progress = importProgress(context.output, files, 'files')),
    onDirectory: (done, number) => progress?.done(done, number),
  }).finally(() => progress?.stop());
  await tell(context, document, report);
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);

async function importJsonl(
  context: CliContext,
  path: string,
  request: LinesRequest,
  report: string | undefined,
): Promise<void> {
  const { importExported } = await import('../../operations/records/import/import-exported.js');
  let progress: ImportProgress | null = null;
  await checkReport(report);
  const document = await importExported(context, path, request, {
    onOpen: (bytes) => (progress = importProgress(context.output, megabytes(bytes), 'MB')),
    onRun: (done, bytes) => progress?.done(done, megabytes(bytes)),
  }).finally(() => progress?.stop());
  await tell(context, document, report);
}

const repeated = (text: string, before: unknown): string[] => [...((before as string[] | undefined) ?? []), text];
const REPORT = ['--report <file>', 'write what `--json` prints to a file too'] as const;

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('import')
    .summary('import results')
    .description('Import results of other homes, of MLGym, Harbor and Inspect as ended runs.');
  const mlgym = command
    .command('mlgym')
    .summary('import MLGym run directories; its tasks: `bench tasks import mlgym`')
    .description(
      'Import MLGym run directories: <task>.traj, results.json and args.yaml, each of which may be missing. Importing again ' +
        'changes nothing. Skipped or inconsistent entries are reported with file and key; exit code 1 if a directory was skipped.',
    )
    .argument('<folders...>', 'run directories, or folders that contain some at any depth');
  for (const option of requestOptions(directoriesRequestSchema.shape, { parsers: { taskMetric, prices } }))
    mlgym.addOption(option);
  mlgym.option(...REPORT).action((paths: string[], { report }: ReportOption) => {
    const request = directoriesRequestSchema.parse(requestFields(directoriesRequestSchema.shape, mlgym.opts()));
    return importMlgym(context, paths, request, report);
  });
  const jsonl = command
    .command('jsonl')
    .summary('import files written by `bench export`')
    .description(
      'Import runs from a file that `bench export --format jsonl` wrote, with their ids and all records. Importing again changes nothing. Runs that this home did not sign are ranked only with `bench leaderboard --include imported`.',
    )
    .argument('<file>', 'file with one JSON line per run')
    .option(...REPORT);
  for (const option of requestOptions(linesRequestSchema.shape, { parsers: { trust: repeated } }))
    jsonl.addOption(option);
  jsonl.action((path: string, { report }: ReportOption) => {
    const request = linesRequestSchema.parse(requestFields(linesRequestSchema.shape, jsonl.opts()));
    return importJsonl(context, path, request, report);
  });
  const exchanged = [
    [
      'atif',
      'import ATIF trajectories',
      'ATIF trajectories, as Harbor and `bench export --format atif` write them; in a trial folder of Harbor with the rewards of its result.json',
      'trajectory files, or folders that contain some at any depth',
    ],
    [
      'inspect',
      'import Inspect logs',
      'logs of Inspect (.eval): a run per sample and epoch',
      'logs, or folders that contain some at any depth',
    ],
  ] as const;
  for (const [format, summaryText, what, argument] of exchanged) {
    const from = command
      .command(format)
      .summary(summaryText)
      .description(
        `Import ${what}. Importing again changes nothing. Values that cannot be imported are reported with file and key. Such runs are ranked only with \`bench leaderboard --include imported\`.`,
      )
      .argument('<paths...>', argument);
    const without = format === 'atif' ? [] : (['task'] as const);
    for (const option of requestOptions(exchangeRequestSchema.shape, { without: [...without] })) from.addOption(option);
    from.option(...REPORT).action((paths: string[], { report }: ReportOption) => {
      const request = exchangeRequestSchema.parse(requestFields(exchangeRequestSchema.shape, from.opts()));
      return importFrom(context, format, paths, request, report);
    });
    addExamples(from, [[`bench import ${format} results/ --batch theirs`, 'every file below a folder']]);
  }
  addExamples(mlgym, [
    ['bench import mlgym trajectories/', 'import every run directory below a folder'],
    ['bench import mlgym trajectories/ --dry-run', 'only check them'],
    ['bench import mlgym mine/ --prices my-model=2.5/10', 'import them, with the prices of the model'],
  ]);
  addExamples(jsonl, [['bench import jsonl spring.jsonl', 'import a file of bench export']]);
}
