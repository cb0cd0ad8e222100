import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Backend } from '../../domain/run.js';
import type { CliContext } from '../context.js';
import { backendOption, commaList, numberBetween, seconds, usDollars, wholeNumber } from '../options.js';
import { plural } from '../render/format.js';
import { renderTable } from '../render/table.js';
import { submitBatch, submittedDocument } from '../submission/submit-batch.js';
import type { SubmittedBatch } from '../submission/submit-batch.js';
import { waitForBatch } from '../wait-for-batch.js';

interface SubmitOptions {
  models: string[];
  tasks: string[];
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
  name?: string;
  wait?: true;
  dryRun?: true;
}

export function batchName(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text) || /^[br]-/.test(text)) {
    throw new InvalidArgumentError('Letters, digits, dots, - and _, at most 100, not beginning with b- or r-.');
  }
  return text;
}

function renderSubmitted(context: CliContext, batch: SubmittedBatch, dryRun: boolean): string {
  const { colors } = context.output;
  const table = renderTable(
    batch.runs,
    [
      ...(dryRun ? [] : [{ title: 'run', value: (run: SubmittedBatch['runs'][number]) => run.runId }]),
      { title: 'model', value: (run) => run.model.name },
      { title: 'task', value: (run) => run.task.id },
      { title: 'try', value: (run) => String(run.attempt), align: 'right' as const },
      { title: 'seed', value: (run) => String(run.seed), align: 'right' as const },
    ],
    colors,
  );
  const headline = dryRun
    ? `${plural(batch.runs.length, 'run')} on the ${batch.backend} backend; nothing was stored or started (--dry-run)`
    : `Batch ${colors.bold(batch.batchId)}: ${plural(batch.runs.length, 'run')} on the ${batch.backend} backend`;
  return `${headline}\n\n${table}`;
}

export function register(program: Command, context: CliContext): void {
  program
    .command('submit')
    .summary('submit a batch: models × tasks × attempts')
    .description(
      'Submit a batch of runs: each model plays each task in each attempt. Prints the ids; the runs go on without this command.',
    )
    .requiredOption('--models <names>', 'models, by commas; see `bench models`', commaList)
    .requiredOption('--tasks <names>', 'task ids or suites, by commas, or `all`; see `bench tasks`', commaList)
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
    .option('--name <name>', 'a name for the batch, instead of its id', batchName)
    .option('--wait', 'show progress until all runs have ended; Ctrl-C leaves them running')
    .option('--dry-run', 'show what would be submitted; store and start nothing')
    .action(async (options: SubmitOptions) => {
      const dryRun = options.dryRun === true;
      const batch = await submitBatch(context, {
        models: options.models,
        tasks: options.tasks,
        agent: options.agent,
        attempts: options.attempts,
        maxSteps: options.maxSteps,
        concurrency: options.concurrency,
        seed: options.seed,
        wallSeconds: options.wallTime,
        gpusPerRun: options.gpusPerRun ?? null,
        backend: options.backend,
        sampling: {
          temperature: options.temperature,
          topP: options.topP,
          maxOutputTokens: options.maxOutputTokens,
        },
        allowUnpriced: options.allowUnpriced === true,
        costLimitUsd: options.costLimit ?? null,
        tokenLimit: options.tokenLimit,
        memory: options.memory === true,
        name: options.name ?? null,
        dryRun,
      });
      if (options.wait === true && !dryRun) {
        context.output.log(
          `Batch ${batch.batchId}: ${plural(batch.runs.length, 'run')} on the ${batch.backend} backend`,
        );
        await waitForBatch(context, batch.batchId);
        return;
      }
      context.output.json(submittedDocument(batch, dryRun));
      context.output.print(renderSubmitted(context, batch, dryRun));
      if (!dryRun) context.output.print(`\nFollow it with: bench watch ${batch.batchId}`);
    });
}
