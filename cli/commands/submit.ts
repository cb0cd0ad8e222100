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
import { addExamples } from '../examples.js';
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

/** Longer tables help nobody; `--json` has every run. */
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
      ? `Batch ${colors.bold(batch.batchId)} exists with the same specification; its unfinished runs continue`
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

/** Options that may be combined with --file. */
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
      'cannot be combined with --file',
      'Write it in the file.',
    );
    const file = readBatchFile(options.file);
    return { ...file, name: options.name ?? file.name };
  }
  const request = requestFields(FIELDS, command.opts()) as BatchRequestInput;
  const missing = request.models === undefined ? 'models' : request.tasks === undefined ? 'tasks' : null;
  if (missing !== null)
    throw new BenchError('usage', `${flagOf(missing)} is missing`, {
      remedy: 'Give --models and --tasks (see `bench models`, `bench tasks`), or a batch file with --file.',
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
  models: 'comma-separated models; see `bench models`',
  tasks: 'comma-separated tasks and suites, or `all`; see `bench tasks`',
  agent: 'agent configuration; see `bench agents`',
  profile:
    "play tasks under this profile of their task.yaml, where they have it; default: the task's own budget, or `cpu` with --sample",
};

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('submit')
    .summary('submit a batch: models × tasks × attempts')
    .description(
      'Submit a batch: every model plays every task, once per attempt. Prints the ids and returns; the runs continue in the background.',
    )
    .option('-f, --file <path>', 'read all options from a batch file; see docs/guides/running-batches.md');
  for (const option of requestOptions(FIELDS, { texts: TEXTS })) command.addOption(option);
  command
    .option('--into <batch>', 'add the runs to an existing batch, running or finished')
    .option('--wait', 'show progress until all runs have ended; Ctrl-C leaves them running')
    .option('--dry-run', 'print what would be submitted, and its cost; store and start nothing')
    .action(async (options: SubmitOptions) => {
      if (options.into !== undefined)
        refuseGiven(
          command,
          (name) => OF_THE_BATCH.includes(name),
          'cannot be combined with --into',
          'The batch has them already. `bench resume <batch> --budget` raises a budget.',
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
      output.print(`\nFollow it: bench watch ${batch.batchId}`);
    });
  addExamples(command, [
    ['bench submit --models gpt-4o,scripted:baseline --tasks game-theory', 'two models, all tasks of a suite'],
    ['bench submit --models gpt-4o --tasks battleOfSexes --attempts 2 --wait', 'wait for the runs, with progress'],
    ['bench submit --models gpt-4o --tasks all --budget 20 --name spring', 'name the batch, cap its cost'],
    ['bench submit --models gpt-4o --tasks all --dry-run', 'print runs, GPUs and cost only'],
    ['bench submit --file batch.yaml', 'take all options from a file'],
  ]);
}
