import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { plural } from '../../domain/text/format.js';
import { forkRun } from '../../operations/batches/fork-run.js';
import { forkRequestSchema } from '../../domain/requests/fork.js';
import { submittedDocument } from '../render/submitted.js';
import { requestFields, requestOptions } from '../schema-flags.js';
import { waitForBatch } from '../wait-for-batch.js';
import type { ForkedDocument } from '../../domain/views/submissions.js';

interface ForkOptions {
  atStep: number;
  wait?: true;
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('fork')
    .summary('start new runs from a step of another run')
    .description(
      'Start a batch of runs that continue another run after one of its steps, with the same model or another. The earlier steps are copied and cost nothing.',
    )
    .argument('<run>', 'id, or an unambiguous part of it');
  for (const option of requestOptions(forkRequestSchema.shape, { without: ['runId'] }))
    command.addOption(option.makeOptionMandatory(option.attributeName() === 'atStep'));
  command
    .option('--wait', 'show progress until all runs have ended; Ctrl-C leaves them running')
    .action(async (ref: string, options: ForkOptions) => {
      const { output } = context;
      const fields = requestFields(forkRequestSchema.shape, command.opts());
      const request = forkRequestSchema.parse({ ...fields, runId: ref });
      const { forkedFrom, ...batch } = await forkRun(context, request);
      const headline = `Batch ${batch.batchId}: ${plural(batch.runs.length, 'fork')} of run ${forkedFrom} after step ${options.atStep}`;
      if (options.wait === true) {
        output.log(headline);
        await waitForBatch(context, batch.batchId);
        return;
      }
      output.json({
        ...submittedDocument(batch, false),
        forkedFrom,
        forkedAtStep: options.atStep,
      } satisfies ForkedDocument);
      output.print(
        [headline, ...batch.runs.map((run) => `  ${run.runId}`), `Follow it: bench watch ${batch.batchId}`].join('\n'),
      );
    });
  addExamples(command, [
    ['bench fork r-01m7 --at-step 5 --attempts 3', 'three runs that continue after step 5'],
    ['bench fork r-01m7 --at-step 5 --model gpt-4o --wait', 'continue with another model'],
  ]);
}
