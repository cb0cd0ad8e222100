import { listModels } from '../../catalog/index.js';
import { priceProblem } from '../../domain/model/price.js';
import type { PricesCheck } from '../../domain/views/catalog.js';
import type { BenchSettings } from '../settings.js';

/** Models whose prices may not be today's. */
export const checkPrices = (settings: Pick<BenchSettings, 'configFolders'>, now: Date): PricesCheck[] =>
  listModels(settings.configFolders, now).models.flatMap(({ name, config, price }) => {
    const problem = config === null ? null : priceProblem(config, now);
    if (problem === null) return [];
    return [{ model: name, problem, from: price?.from ?? null, checked: config?.pricesChecked ?? null }];
  });
