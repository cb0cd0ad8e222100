import type { Command } from 'commander';
import { listModels } from '../../registry/index.js';
import type { CliContext } from '../context.js';
import { renderTable } from '../render/table.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('models')
    .summary('models that exist')
    .description('List the models that --models takes.')
    .action(() => {
      const models = listModels();
      context.output.json({ models });
      context.output.print(
        renderTable(
          models,
          [
            { title: 'model', value: (model) => model.name },
            { title: 'kind', value: (model) => model.kind },
            { title: 'description', value: (model) => model.description },
          ],
          context.output.colors,
        ),
      );
    });
}
