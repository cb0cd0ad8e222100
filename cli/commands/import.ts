import { createPublicKey } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { MlgymTask } from '../../domain/mlgym/tasks.js';
import { BenchError } from '../../domain/errors.js';
import { selectTasks } from '../../catalog/index.js';
import type { CliContext } from '../context.js';
import { homeKey, readPublicKey } from '../../operations/records/export/signing-key.js';
import type { DirectoryResult } from '../../operations/records/import/import-mlgym.js';
import { importProgress } from '../render/import-progress.js';
import { plural } from '../render/format.js';

interface MlgymOptions {
  batch: string;
  dryRun?: true;
  report?: string;
  taskMetric?: Record<string, MlgymTask>;
}

/** `task=metric:max`, given once or several times. */
function taskMetric(text: string, before: Record<string, MlgymTask> = {}): Record<string, MlgymTask> {
  const [, task, metric, end] = /^([^=]+)=(.+):(max|min)(?:imize)?$/.exec(text.trim()) ?? [];
  if (task === undefined || metric === undefined)
    throw new InvalidArgumentError('Write it as <task>=<metric>:max or <task>=<metric>:min.');
  return { ...before, [task]: { label: task, metric, direction: end === 'max' ? 'maximize' : 'minimize' } };
}

export interface ImportDocument {
  batch: string;
  dryRun: boolean;
  directories: number;
  imported: number;
  known: number;
  changed: number;
  failed: number;
  /** Not looked at, since Ctrl-C came before. */
  left: number;
  steps: number;
  results: DirectoryResult[];
}

export function importDocument(
  results: DirectoryResult[],
  of: { batch: string; dryRun: boolean; directories: number },
): ImportDocument {
  const count = (outcome: DirectoryResult['outcome']): number =>
    results.filter((one) => one.outcome === outcome).length;
  return {
    ...of,
    imported: count('imported'),
    known: count('known'),
    changed: count('changed'),
    failed: count('failed'),
    left: of.directories - results.length,
    steps: results.reduce((sum, { steps }) => sum + steps, 0),
    results,
  };
}

function summary(document: ImportDocument): string {
  const { imported, steps, known, changed, failed, left, dryRun, batch } = document;
  const parts = [
    `${plural(imported, 'run')} with ${plural(steps, 'step')} ${dryRun ? 'would be ' : ''}imported into ${batch}`,
    ...(known === 0 ? [] : [`${known} here already`]),
    ...(changed === 0 ? [] : [`${changed} changed since, left as they were`]),
    ...(failed === 0 ? [] : [`${failed} left out`]),
    ...(left === 0 ? [] : [`${left} not looked at`]),
  ];
  return `${parts.join(', ')}.`;
}

async function importRuns(context: CliContext, paths: string[], options: MlgymOptions): Promise<void> {
  const { output } = context;
  const [{ findRunDirectories }, { importMlgym }] = await Promise.all([
    import('../../operations/records/import/run-directories.js'),
    import('../../operations/records/import/import-mlgym.js'),
  ]);
  const directories = await findRunDirectories(paths);
  if (directories.length === 0)
    throw new BenchError('usage', `no run directory of MLGym in ${paths.join(', ')}`, {
      remedy: 'One holds a .traj or a results.json, and is named <model>__<task>__<settings>_run_<number>.',
    });
  const dryRun = options.dryRun === true;
  const database = await context.database();
  const signal = context.onInterrupt();
  const progress = importProgress(output, directories.length);
  let results: DirectoryResult[];
  try {
    results = await importMlgym(database, directories, {
      batch: options.batch,
      tasks: options.taskMetric ?? {},
      dryRun,
      signal,
      onDirectory: progress.done,
    });
  } finally {
    progress.stop();
  }
  const document = importDocument(results, { batch: options.batch, dryRun, directories: directories.length });
  if (options.report !== undefined) await writeReport(options.report, document);
  output.json(document);
  output.print(summary(document));
  if (document.left > 0) context.setExitCode(130);
  else if (document.failed + document.changed > 0) context.setExitCode(1);
}

interface LinesOptions {
  report?: string;
  trust?: string[];
}

async function importExported(context: CliContext, path: string, options: LinesOptions): Promise<void> {
  const { output, settings } = context;
  const trusted = options.trust?.map(readPublicKey);
  const own = homeKey(settings.layout);
  const [{ importLines }, { UnreadableFile }] = await Promise.all([
    import('../../operations/records/import/import-lines.js'),
    import('../../operations/records/import/unreadable-file.js'),
  ]);
  const database = await context.database();
  const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);
  const progress = importProgress(output, megabytes((await stat(path).catch(() => null))?.size ?? 0), 'MB');
  const results = await importLines(database, path, {
    ownKey: own === null ? null : createPublicKey(own),
    trusted,
    contracts: Object.fromEntries(
      selectTasks(settings.configsDir, ['all']).map(({ spec }) => [spec.id, spec.contract]),
    ),
    onRun: (done, bytes) => {
      progress.done(done, megabytes(bytes));
    },
  })
    .catch((cause: unknown) => {
      if (!(cause instanceof UnreadableFile)) throw cause;
      throw new BenchError('usage', `${path}: ${cause.message}`, {
        remedy: 'Lines before that place were imported.',
        cause,
      });
    })
    .finally(() => {
      progress.stop();
    });
  const document = importDocument(results, { batch: 'their batches', dryRun: false, directories: results.length });
  if (options.report !== undefined) await writeReport(options.report, document);
  output.json(document);
  output.print(summary(document));
  if (document.failed + document.changed > 0) context.setExitCode(1);
}

async function writeReport(path: string, document: ImportDocument): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(document, null, 2)}\n`);
  } catch (cause) {
    throw new BenchError('failed', `the report could not be written to ${path}`, {
      remedy:
        'The import itself is done; with another --report it tells the same again, without the remarks of runs that are here.',
      cause,
    });
  }
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('import')
    .summary('results of elsewhere')
    .description('Take in results that were made elsewhere, as runs that have ended.');
  command
    .command('mlgym')
    .summary('run directories of MLGym')
    .description(
      'Import run directories of MLGym: <task>.traj, results.json and args.yaml, each of which may be missing. ' +
        'Importing again changes nothing. What is left out or odd is told with its file and key; the exit code is 1 if a directory was left out.',
    )
    .argument('<folders...>', 'run directories, or folders that hold some at any depth')
    .option('--batch <name>', 'the batch that takes them; made if there is none of this name', 'mlgym')
    .option('--task-metric <task=metric:max|min>', 'what ranks a task beyond MLGym-Bench; repeatable', taskMetric)
    .option('--dry-run', 'read and check everything, and store nothing')
    .option('--report <file>', 'write what `--json` prints to a file too')
    .action((paths: string[], options: MlgymOptions) => importRuns(context, paths, options));
  command
    .command('jsonl')
    .summary('what `bench export --format jsonl` wrote')
    .description(
      'Import runs that `bench export --format jsonl` wrote, here or elsewhere, with their ids and all their rows. Importing again changes nothing. What this home did not sign itself is ranked only with `bench leaderboard --include-imported`.',
    )
    .argument('<file>', 'a line of JSON per run')
    .option('--report <file>', 'write what `--json` prints to a file too')
    .option(
      '--trust <file>',
      'take only lines that the key of this public key file signed (or this home itself); repeatable',
      (file: string, before: string[] | undefined) => [...(before ?? []), file],
    )
    .action((path: string, options: LinesOptions) => importExported(context, path, options));
}
