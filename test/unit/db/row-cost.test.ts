import { expect, it } from 'vitest';
import { rowCost } from '../../../db/queries/leaderboard-extras.js';

const imported = { model: 'm', kind: 'real', isolation: 'container' } as const;
const row = (ended: number, costUsd: string) => ({ ended, costUsd, costPerRunUsd: String(Number(costUsd) / ended) });

it.each([
  ['charged', row(2, '4'), undefined, undefined, ['charged', '4', '2', 0]],
  ['free', row(2, '0'), undefined, undefined, ['charged', '0', '0', 0]],
  ['unknown', row(3, '0'), { runs: 3, priced: 0, totalUsd: null }, undefined, ['charged', null, null, 3]],
  ['charged in part', row(3, '2'), { runs: 1, priced: 0, totalUsd: null }, undefined, ['charged', '2', '1', 1]],
  ['recorded in part', row(3, '0'), { runs: 3, priced: 2, totalUsd: '5' }, undefined, ['recorded', '5', '2.5', 1]],
  [
    ...(['listed in part', row(3, '0'), { runs: 3, priced: 3, totalUsd: '5' }] as const),
    ...([{ totalUsd: '4', perRunUsd: '2', unknown: 1 }, ['list', '4', '2', 1]] as const),
  ],
])('the cost of a row: %s', (_, charged, recorded, listed, [costKind, costUsd, costPerRunUsd, unknownCosts]) => {
  expect(
    rowCost(
      charged,
      recorded === undefined ? undefined : { ...imported, ...recorded },
      listed === undefined ? undefined : { ...imported, ...listed },
    ),
  ).toEqual({ costKind, costUsd, costPerRunUsd, unknownCosts });
});
