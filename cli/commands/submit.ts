import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { batchOptionsSchema, type BatchRequestInput } from '../../domain/requests/batch.js';
import { groupSchema } from '../../domain/requests/run-options.js';
import { readBatchFile } from '../../operations/batches/read-batch-file.js';
import { addRuns, planAddition } from '../../operations/batches/add-runs.js';
import { type BatchPlan, submitted, type SubmittedBatch } from '../../operations/batches/batch-plan.js';
import type { BatchEstimate, SubmittedDocument } from '../../domain/views/submissions.js';
import { estimateBatch } from '../../operations/batches/estimate.js';
import { planBatch } from '../../operations/batches/plan-batch.js';
import { submitBatch } from '../../operations/batches/submit-batch.js';
import type { CliContext } from '../context.js';
import { plural } from '../render/format.js';
import { submittedDocument } from '../render/submitted.js';
import { renderTable } from '../render/table.js';
import { flagOf, requestFields, requestOptions } from '../request-options.js';
import { waitForBatch } from '../wait-for-batch.js';

interface SubmitOptions {
  file?: string;
  name?: string;
  into?: string;
  wait?: true;
  dryRun?: true;
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

const FIELDS = { ...groupSchema.shape, ...batchOptionsSchema.shape };

function requestOf(command: Command, options: SubmitOptions): BatchRequestInput {
  if (options.file !== undefined) {
    refuseGiven(
      command,
      (name) => !BESIDE_FILE.includes(name),
      'cannot stand beside --file',
      'Write it into the file.',
    );
    const file = readBatchFile(options.file);
    return { ...file, name: options.name ?? file.name };
  }
  const request = requestFields(FIELDS, command.opts()) as BatchRequestInput;
  const missing = request.models === undefined ? 'models' : request.tasks === undefined ? 'tasks' : null;
  if (missing !== null)
    throw new BenchError('usage', `${flagOf(missing)} is missing`, {
      remedy: 'Name models and tasks (`bench models`, `bench tasks`), or a file with --file.',
    });
  return request;
}

async function plan(context: CliContext, command: Command, options: SubmitOptions): Promise<BatchPlan> {
  const request = requestOf(command, options);
  if (options.into === undefined) return planBatch(context, request);
  return planAddition(context, options.into, request);
}

async function submit(context: CliContext, command: Command, options: SubmitOptions): Promise<SubmittedBatch> {
  const request = requestOf(command, options);
  if (options.into === undefined) return submitBatch(context, request);
  return addRuns(context, options.into, request);
}

/** What only the command line can say of its options. */
const TEXTS = {
  models: 'models, by commas; see `bench models`',
  tasks: 'task ids or suites, by commas, or `all`; see `bench tasks`',
  agent: 'agent configuration; see `bench agents`',
  profile:
    "the budget of this name in task.yaml, for tasks that have it; default: the task's own, and with --sample `cpu`",
};

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('submit')
    .summary('submit a batch: models × tasks × attempts')
    .description(
      'Submit a batch of runs: each model plays each task in each attempt. Prints the ids; the runs go on without this command.',
    )
    .option('-f, --file <path>', 'a batch file, which holds all options; see docs/guides/running-batches.md');
  for (const option of requestOptions(FIELDS, { texts: TEXTS })) command.addOption(option);
  command
    .option('--into <batch>', 'add the runs to this batch, whether it runs or is over')
    .option('--wait', 'show progress until all runs have ended; Ctrl-C leaves them running')
    .option('--dry-run', 'show what would be submitted; store and start nothing')
    .action(async (options: SubmitOptions) => {
      if (options.into !== undefined)
        refuseGiven(
          command,
          (name) => OF_THE_BATCH.includes(name),
          'cannot stand beside --into',
          'These belong to the batch, which has them already; `bench resume <batch> --budget` raises a budget.',
        );
      const { output } = context;
      if (options.dryRun === true) {
        const batch = submitted(await plan(context, command, options));
        const estimate = estimateBatch(batch.runs, batch, new Date());
        output.json({ ...submittedDocument(batch, true), estimate } satisfies SubmittedDocument);
        output.print(`${renderSubmitted(context, batch, true)}\n\n${renderEstimate(estimate)}`);
        return;
      }
      const batch = await submit(context, command, options);
      if (options.wait === true) {
        output.log(`Batch ${batch.batchId}: ${plural(batch.runs.length, 'run')} on the ${batch.backend} backend`);
        await waitForBatch(context, batch.batchId);
        return;
      }
      output.json(submittedDocument(batch, false) satisfies SubmittedDocument);
      output.print(renderSubmitted(context, batch, false));
      output.print(`\nFollow it with: bench watch ${batch.batchId}`);
    });
}
