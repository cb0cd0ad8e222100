import { expect, it } from 'vitest';
import { priceProblem } from '../../../domain/model/price.js';

const price = (from: string, input = '1', output = '5') => ({ from, input, output });

it.each([
  ['missing', [], '2026-11-01'],
  ['not_begun', [price('2026-12-01')], '2026-11-01'],
  ['unchecked', [price('2026-01-01')], undefined],
  ['old', [price('2026-01-01')], '2026-08-01'],
  [null, [price('2026-01-01'), price('2027-01-01')], '2026-11-01'],
  [null, [price('2024-01-01', '0', '0')], undefined],
] as const)('prices are %s', (problem, prices, pricesChecked) => {
  const config = { prices: [...prices], ...(pricesChecked !== undefined && { pricesChecked }) };
  expect(priceProblem(config, new Date('2026-11-28T12:00:00Z'))).toBe(problem);
});
