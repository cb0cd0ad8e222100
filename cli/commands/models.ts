import { formatCompact } from '../../domain/text/format.js';
import type { Command } from 'commander';
import type { ModelPrice } from '../../domain/model/config.js';
import { listModels, type ModelWithKey } from '../../operations/catalog/list-models.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { PLACES, placeText } from '../render/config-place.js';
import { renderTable } from '../render/table.js';
import { register as registerCheck } from './models-check.js';
import { register as registerTest } from './models-test.js';
import type { ModelsDocument } from '../../domain/views/catalog.js';

/** `2.5 / 10`: US dollars per million tokens in and out. */
const priceText = (price: ModelPrice | null): string =>
  price === null ? 'none' : `${shortest(price.input)} / ${shortest(price.output)}`;
const shortest = (decimal: string): string => (decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal);

export function register(program: Command, context: CliContext): void {
  const models = program
    .command('models')
    .summary('list models, test whether they answer, check their prices')
    .description('List the models that --models accepts, test them, and check their prices.');
  models
    .command('list', { isDefault: true })
    .summary('list models (the default)')
    .description(
      `List the models that --models accepts: files in \`models/\` of a configuration folder, with key, context window and price (US dollars per million tokens, input / output), and the scripted ones. ${PLACES}`,
    )
    .action(() => {
      const { output } = context;
      const { colors } = output;
      const { models, broken } = listModels(context);
      output.json({
        models: models.map(({ config, price, keyVariable, keySet, ...model }) => ({
          ...model,
          providerModel: config?.model ?? null,
          contextWindow: config?.contextWindow ?? null,
          maxOutputTokens: config?.maxOutputTokens ?? null,
          keyVariable,
          keySet,
          price,
        })),
        broken,
      } satisfies ModelsDocument);
      const keyText = ({ keyVariable, keySet }: ModelWithKey): string =>
        keyVariable === null ? '' : `${keyVariable} ${keySet === true ? colors.green('set') : colors.red('not set')}`;
      const real = models.filter((model) => model.kind === 'real');
      if (real.length > 0) {
        output.print(
          renderTable(
            real,
            [
              { title: 'model', value: (model) => [model.name, ...model.aliases].join(', ') },
              { title: 'from', value: placeText },
              { title: 'provider', value: (model) => model.provider },
              { title: 'key', value: keyText },
              { title: 'context', value: (model) => formatCompact(model.config?.contextWindow ?? 0), align: 'right' },
              { title: '$/M in / out', value: (model) => priceText(model.price), align: 'right' },
            ],
            colors,
          ),
        );
        output.print('');
      }
      output.print(
        renderTable(
          models.filter((model) => model.kind !== 'real'),
          [
            { title: 'model', value: (model) => model.name },
            { title: 'kind', value: (model) => model.kind },
            { title: 'description', value: (model) => model.description },
          ],
          colors,
        ),
      );
    });
  addExamples(models, [
    ['bench models', 'list models and whether their keys are set'],
    ['bench models test gpt-4o', 'make one tiny call'],
    ['bench models check', 'list models without a current price'],
  ]);
  registerCheck(models, context);
  registerTest(models, context);
}
