import type { Command } from 'commander';
import { addRuns } from '../../operations/batches/add-runs.js';
import { batchOf, type SubmittedBatch } from '../../operations/batches/batch-plan.js';
import { estimateBatch } from '../../operations/batches/estimate.js';
import { forecastPlan } from '../../operations/batches/forecast-batch.js';
import { submitBatch } from '../../operations/batches/submit-batch.js';
import type { SubmittedDocument } from '../../domain/views/submissions.js';
import { addBatchOptions, type BatchFlags, planOf, requestOf } from '../batch-request.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { renderForecast } from '../render/forecast.js';
import { plural } from '../../domain/text/format.js';
import { submittedDocument } from '../render/submitted.js';
import { renderTable } from '../render/table.js';
import { logPageLink } from '../serve-page.js';
import { waitForBatch } from '../wait-for-batch.js';

interface SubmitOptions extends BatchFlags {
  wait?: true;
  dryRun?: true;
}

/** Nobody reads longer tables; `--json` has every run. */
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
  const attempts = batch.allocation == null ? '' : `\nAttempts: ${batch.allocation.detail}`;
  return `${headline}${attempts}\n\n${table}${more > 0 ? `\n… and ${more} more` : ''}`;
}

async function submit(context: CliContext, command: Command, options: SubmitOptions): Promise<SubmittedBatch> {
  const request = requestOf(command, options);
  if (options.into === undefined) return submitBatch(context, request);
  return addRuns(context, options.into, request);
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('submit')
    .summary('submit a batch: models × tasks × attempts')
    .description(
      'Submit a batch: every model plays every task, once per attempt. Prints the ids and returns; the runs continue in the background.',
    );
  addBatchOptions(command);
  command
    .option('--wait', 'show progress until all runs have ended; Ctrl-C leaves them running')
    .option('--dry-run', 'print what would be submitted, and a forecast of its cost and time; store and start nothing')
    .action(async (options: SubmitOptions) => {
      const { output } = context;
      if (options.dryRun === true) {
        const plan = await planOf(context, command, options);
        const [batch, now] = [batchOf(plan), new Date()];
        const estimate = estimateBatch(batch.runs, batch, now);
        const forecast = await forecastPlan(context, plan, now);
        output.json({ ...submittedDocument(batch, true), estimate, forecast } satisfies SubmittedDocument);
        output.print(`${renderSubmitted(context, batch, true)}\n\n${renderForecast(forecast, estimate)}`);
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
      if (batch.runs.some((run) => run.model.kind === 'human')) output.print('Play it on the page: bench serve');
      await logPageLink(context, `/batches/${batch.batchId}`);
    });
  addExamples(command, [
    ['bench submit --models gpt-4o,scripted:baseline --tasks game-theory', 'two models, all tasks of a suite'],
    ['bench submit --models gpt-4o --tasks battleOfSexes --attempts 2 --wait', 'wait for the runs, with progress'],
    ['bench submit --models gpt-4o --tasks all --budget 20 --name spring', 'name the batch, cap its cost'],
    ['bench submit --models gpt-4o,claude --tasks all --attempts auto', 'more attempts where the ranking is uncertain'],
    ['bench submit --models gpt-4o --tasks all --dry-run', 'print runs, GPUs, cost and time only'],
    ['bench submit --file batch.yaml', 'take all options from a file'],
  ]);
}
