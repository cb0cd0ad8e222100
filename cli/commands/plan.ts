import type { Command } from 'commander';
import { batchOf } from '../../operations/batches/batch-plan.js';
import { estimateBatch } from '../../operations/batches/estimate.js';
import { forecastPlan } from '../../operations/batches/forecast-batch.js';
import type { SubmittedDocument } from '../../domain/views/submissions.js';
import { addBatchOptions, type BatchFlags, planOf } from '../batch-request.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { renderEvidence, renderForecast } from '../render/forecast.js';
import { plural } from '../../domain/text/format.js';
import { submittedDocument } from '../render/submitted.js';

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('plan')
    .summary('forecast the cost, tokens and time of a batch')
    .description(
      'Forecast what a batch costs and how long it takes, from earlier runs of the same model, agent and task, else from those ' +
        'of another agent, else from imported runs of the task, else from the limits. Takes the options of `bench submit`; stores and starts nothing.',
    );
  addBatchOptions(command);
  command.action(async (options: BatchFlags) => {
    const plan = await planOf(context, command, options);
    const [batch, now] = [batchOf(plan), new Date()];
    const estimate = estimateBatch(batch.runs, batch, now);
    const forecast = await forecastPlan(context, plan, now);
    context.output.json({ ...submittedDocument(batch, true), estimate, forecast } satisfies SubmittedDocument);
    context.output.print(
      [
        `${plural(batch.runs.length, 'run')} on the ${batch.backend} backend, ${batch.concurrency} at a time`,
        ...(batch.allocation == null ? [] : [`Attempts: ${batch.allocation.detail}`]),
        renderEvidence(forecast, context.output.colors),
        renderForecast(forecast, estimate),
      ].join('\n\n'),
    );
  });
  addExamples(command, [
    ['bench plan --models gpt-4o,claude --tasks all', 'cost of all tasks with two models'],
    ['bench plan --file batch.yaml --json', 'the forecast of a batch file, as JSON'],
  ]);
}
