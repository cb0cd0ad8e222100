import { type Command, InvalidArgumentError } from 'commander';
import { BenchError } from '../../domain/errors.js';
import type { Backend } from '../../domain/run.js';
import { type BatchFilePlay, loadBatchFile } from '../../catalog/index.js';
import type { CliContext } from '../context.js';
import { backendOption, commaList, numberBetween, seconds, usDollars, wholeNumber } from '../options.js';
import { plural } from '../render/format.js';
import { renderTable } from '../render/table.js';
import { addRuns } from '../../operations/batches/add-runs.js';
import { type BatchEstimate, estimateBatch } from '../../operations/batches/estimate.js';
import { submitBatch, submittedDocument } from '../../operations/batches/submit-batch.js';
import { waitForBatch } from '../wait-for-batch.js';
import type { GroupRequest, SubmitRequest, SubmittedBatch } from '../../operations/batches/request.js';

interface SubmitOptions {
  file?: string;
  models?: string[];
  tasks?: string[];
  agent: string;
  attempts: number;
  maxSteps: number;
  wallTime: number;
  gpusPerRun?: number;
  concurrency: number;
  backend?: Backend;
  seed: number;
  temperature?: number;
  topP?: number;
  maxOutputTokens?: number;
  allowUnpriced?: true;
  costLimit?: string;
  tokenLimit: number;
  memory?: true;
  snapshotEvery?: number;
  sample?: true;
  profile?: string;
  skipUnavailable?: true;
  name?: string;
  priority: number;
  budget?: string;
  into?: string;
  wait?: true;
  dryRun?: true;
}

export function batchName(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text) || /^[br]-/.test(text)) {
    throw new InvalidArgumentError('Letters, digits, dots, - and _, at most 100, not beginning with b- or r-.');
  }
  return text;
}

/** Longer tables tell nobody anything; `--json` has every run. */
const SHOWN = 60;

function renderSubmitted(context: CliContext, batch: SubmittedBatch, dryRun: boolean): string {
  const { colors } = context.output;
  const table = renderTable(
    batch.runs.slice(0, SHOWN),
    [
      ...(dryRun ? [] : [{ title: 'run', value: (run: SubmittedBatch['runs'][number]) => run.runId }]),
      { title: 'model', value: (run) => run.model.name },
      { title: 'task', value: (run) => run.task.id },
      { title: 'try', value: (run) => String(run.attempt), align: 'right' as const },
      { title: 'seed', value: (run) => String(run.seed), align: 'right' as const },
      ...(batch.runs.some((run) => run.task.profile !== undefined)
        ? [{ title: 'profile', value: (run: SubmittedBatch['runs'][number]) => run.task.profile ?? '' }]
        : []),
      ...(batch.runs.some((run) => run.sample === true)
        ? [{ title: 'data', value: (run: SubmittedBatch['runs'][number]) => (run.sample === true ? 'sample' : '') }]
        : []),
    ],
    colors,
  );
  const runs = `${plural(batch.runs.length, 'run')} on the ${batch.backend} backend`;
  const headline = dryRun
    ? `${runs}; nothing was stored or started (--dry-run)`
    : batch.existing === true
      ? `Batch ${colors.bold(batch.batchId)} is there already, with the same specification; its unfinished runs go on`
      : `Batch ${colors.bold(batch.batchId)}: ${runs}`;
  const more = batch.runs.length - SHOWN;
  return `${headline}\n\n${table}${more > 0 ? `\n… and ${more} more` : ''}`;
}

function renderEstimate(estimate: BatchEstimate): string {
  const { gpus, gpusAtOnce, memoryMbAtOnce, costAtMostUsd, unpricedModels } = estimate;
  const perRun = gpus.least === gpus.most ? String(gpus.most) : `${gpus.least} to ${gpus.most}`;
  return [
    `GPUs: ${perRun} per run, at most ${gpusAtOnce} at once`,
    `Memory: at most ${Math.ceil(memoryMbAtOnce / 1024)} GiB at once, besides evaluations`,
    `Cost: ${costAtMostUsd === null ? `unknown (no price: ${unpricedModels.join(', ')})` : `at most $${costAtMostUsd}`}`,
  ].join('\n');
}

type Play = Omit<GroupRequest, 'models' | 'tasks'>;
const playOf = (options: SubmitOptions): Play => ({
  agent: options.agent,
  attempts: options.attempts,
  maxSteps: options.maxSteps,
  wallSeconds: options.wallTime,
  gpusPerRun: options.gpusPerRun ?? null,
  sampling: { temperature: options.temperature, topP: options.topP, maxOutputTokens: options.maxOutputTokens },
  allowUnpriced: options.allowUnpriced === true,
  costLimitUsd: options.costLimit ?? null,
  tokenLimit: options.tokenLimit,
  memory: options.memory === true,
  snapshotEvery: options.snapshotEvery ?? null,
  sample: options.sample === true,
  profile: options.profile ?? null,
  skipUnavailable: options.skipUnavailable === true,
});

/** A group of a file; `defaults` are those of the command line. */
const groupOf = (group: BatchFilePlay, defaults: Play): GroupRequest => ({
  models: group.models ?? [],
  tasks: group.tasks ?? [],
  agent: group.agent ?? defaults.agent,
  attempts: group.attempts ?? defaults.attempts,
  maxSteps: group.maxSteps ?? defaults.maxSteps,
  wallSeconds: group.wallTime ?? defaults.wallSeconds,
  gpusPerRun: group.gpusPerRun ?? null,
  sampling: { temperature: group.temperature, topP: group.topP, maxOutputTokens: group.maxOutputTokens },
  allowUnpriced: group.allowUnpriced === true,
  costLimitUsd: group.costLimit ?? null,
  tokenLimit: group.tokenLimit ?? 0,
  memory: group.memory === true,
  snapshotEvery: group.snapshotEvery ?? null,
  sample: group.sample === true,
  profile: group.profile ?? null,
  skipUnavailable: group.skipUnavailable === true,
});

/** Options that may stand beside --file. */
const BESIDE_FILE = ['file', 'name', 'wait', 'dryRun', 'json'];
/** What a batch has already, and --into cannot change. */
const OF_THE_BATCH = ['name', 'seed', 'concurrency', 'priority', 'budget', 'file'];

function refuseGiven(command: Command, which: (name: string) => boolean, why: string, remedy: string): void {
  const given = command.options.filter(
    (option) => which(option.attributeName()) && command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (given.length > 0)
    throw new BenchError('usage', `${given.map((option) => option.long ?? '').join(', ')} ${why}`, { remedy });
}

function requestOf(command: Command, options: SubmitOptions): SubmitRequest {
  const dryRun = options.dryRun === true;
  if (options.file !== undefined) {
    refuseGiven(
      command,
      (name) => !BESIDE_FILE.includes(name),
      'cannot stand beside --file',
      'Write it into the file.',
    );
    const file = loadBatchFile(options.file);
    const [first, ...further] = file.groups.map((group) => groupOf(group, playOf(options)));
    if (first === undefined) throw new Error('a batch file without groups');
    return {
      ...first,
      further,
      concurrency: file.concurrency ?? options.concurrency,
      priority: file.priority ?? options.priority,
      budgetUsd: file.budget ?? null,
      backend: file.backend,
      seed: file.seed ?? options.seed,
      name: options.name ?? file.name ?? null,
      dryRun,
    };
  }
  const { models, tasks } = options;
  if (models === undefined || tasks === undefined)
    throw new BenchError('usage', `${models === undefined ? '--models' : '--tasks'} is missing`, {
      remedy: 'Name models and tasks (`bench models`, `bench tasks`), or a file with --file.',
    });
  return {
    ...playOf(options),
    ...{ models, tasks, dryRun },
    concurrency: options.concurrency,
    priority: options.priority,
    budgetUsd: options.budget ?? null,
    backend: options.backend,
    seed: options.seed,
    name: options.name ?? null,
  };
}

async function submit(context: CliContext, command: Command, options: SubmitOptions): Promise<SubmittedBatch> {
  if (options.into === undefined) return submitBatch(context, requestOf(command, options));
  refuseGiven(
    command,
    (name) => OF_THE_BATCH.includes(name),
    'cannot stand beside --into',
    'These belong to the batch, which has them already; `bench resume <batch> --budget` raises a budget.',
  );
  const request = requestOf(command, options);
  const { queries } = await context.database();
  return addRuns(context, await queries.findBatch(options.into), request);
}

export function register(program: Command, context: CliContext): void {
  program
    .command('submit')
    .summary('submit a batch: models × tasks × attempts')
    .description(
      'Submit a batch of runs: each model plays each task in each attempt. Prints the ids; the runs go on without this command.',
    )
    .option('-f, --file <path>', 'a batch file, which holds all options; see docs/batches.md')
    .option('--models <names>', 'models, by commas; see `bench models`', commaList)
    .option('--tasks <names>', 'task ids or suites, by commas, or `all`; see `bench tasks`', commaList)
    .option('--attempts <n>', 'attempts per model and task', wholeNumber(1, 10_000), 4)
    .option('--agent <name>', 'agent configuration; see `bench agents`', 'default')
    .option('--max-steps <n>', 'steps per run', wholeNumber(1, 100_000), 50)
    .option('--wall-time <time>', "a run's own time, as 90s, 30m, 2h; 0: no limit", seconds, 0)
    .option('--gpus-per-run <n>', 'GPUs per run; default: what the task asks for', wholeNumber(0, 64))
    .option('--concurrency <n>', 'runs at the same time', wholeNumber(1, 10_000), 8)
    .addOption(backendOption())
    .option('--seed <n>', 'seed of the batch; a run has seed + attempt', wholeNumber(0, 2 ** 31), 42)
    .option('--temperature <t>', "sampling temperature; default: each model's own", numberBetween(0, 2))
    .option('--top-p <p>', "sampling top-p; default: each model's own", numberBetween(0, 1))
    .option('--max-output-tokens <n>', "longest reply, in tokens; default: each model's own", wholeNumber(1))
    .option('--cost-limit <usd>', 'most that a run may spend on model calls, in US dollars', usDollars)
    .option('--token-limit <n>', 'most tokens of a run, in and out; 0: no limit', wholeNumber(0), 0)
    .option('--allow-unpriced', 'take models whose file has no price; their calls count as free')
    .option('--memory', 'let runs read what earlier runs of the same task and model wrote down, and write more')
    .option(
      '--snapshot-every <n>',
      'steps between snapshots of the workspace, 0: none; default: what the task says',
      wholeNumber(0, 100_000),
    )
    .option('--sample', 'on stand-ins for the data of tasks that have some; such scores are marked, and ranked apart')
    .option(
      '--profile <name>',
      "the budget of this name in task.yaml, for tasks that have it; default: the task's own, and with --sample `cpu`",
    )
    .option(
      '--skip-unavailable',
      'leave out tasks whose data are not prepared or that the backend cannot bear; says which',
    )
    .option('--budget <usd>', 'most that all runs together may spend on model calls, in US dollars', usDollars)
    .option('--priority <n>', 'from 1 (first) to 5 (last), where batches compete', wholeNumber(1, 5), 3)
    .option('--name <name>', 'a name for the batch; one of the same name and specification is gone on with', batchName)
    .option('--into <batch>', 'add the runs to this batch, whether it runs or is over')
    .option('--wait', 'show progress until all runs have ended; Ctrl-C leaves them running')
    .option('--dry-run', 'show what would be submitted; store and start nothing')
    .action(async (options: SubmitOptions, command: Command) => {
      const dryRun = options.dryRun === true;
      const batch = await submit(context, command, options);
      if (options.wait === true && !dryRun) {
        context.output.log(
          `Batch ${batch.batchId}: ${plural(batch.runs.length, 'run')} on the ${batch.backend} backend`,
        );
        await waitForBatch(context, batch.batchId);
        return;
      }
      const estimate = dryRun ? estimateBatch(batch.runs, batch, new Date()) : null;
      context.output.json({ ...submittedDocument(batch, dryRun), ...(estimate !== null && { estimate }) });
      context.output.print(renderSubmitted(context, batch, dryRun));
      if (estimate !== null) context.output.print(`\n${renderEstimate(estimate)}`);
      if (!dryRun) context.output.print(`\nFollow it with: bench watch ${batch.batchId}`);
    });
}
