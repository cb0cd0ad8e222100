import type { Command } from 'commander';
import { testModels } from '../../operations/catalog/test-models.js';
import type { CliContext } from '../context.js';
import { formatDuration, formatUsd } from '../../domain/text/format.js';
import { renderTable } from '../render/table.js';
import type { ModelTestsDocument } from '../../domain/views/catalog.js';

export function register(models: Command, context: CliContext): void {
  models
    .command('test')
    .summary('make one tiny call per model')
    .description(
      'Make one tiny call per model, with the keys and addresses of this environment. Prints success, time and cost of each. Exit code 1 if a model does not answer.',
    )
    .argument('[models...]', 'models, separated by spaces or commas; default: all of configs/models whose keys are set')
    .action(async (names: string[]) => {
      const { output } = context;
      const named = names.flatMap((name) => name.split(',')).filter((name) => name !== '');
      const tests = await testModels(context, named, context.onInterrupt());
      output.json({ ok: tests.every(({ ok }) => ok), models: tests } satisfies ModelTestsDocument);
      const { colors } = output;
      output.print(
        renderTable(
          tests,
          [
            { title: 'model', value: (test) => test.model },
            { title: 'endpoint', value: (test) => test.endpoint ?? '–' },
            { title: 'time', value: (test) => formatDuration(test.ms), align: 'right' },
            { title: 'cost', value: (test) => formatUsd(test.costUsd), align: 'right' },
            { title: 'result', value: (test) => (test.ok ? colors.green('ok') : colors.red(test.error ?? 'failed')) },
          ],
          colors,
        ),
      );
      if (tests.some(({ ok }) => !ok)) context.setExitCode(1);
    });
}
