import type { Leaderboard, LeaderboardRow } from '../../../domain/views/leaderboard.js';

type Method = Pick<LeaderboardRow, 'model' | 'kind' | 'isolation'>;

/** A model's name, with what distinguishes rows of the same name. */
export function methodLabel(row: Method, { rows }: Pick<Leaderboard, 'rows'>): string {
  const namesakes = rows.filter(({ model }) => model === row.model);
  const apart = [
    ...(namesakes.some(({ kind }) => kind !== row.kind) ? [row.kind] : []),
    ...(namesakes.some(({ isolation }) => isolation !== row.isolation)
      ? [{ none: 'no isolation', container: 'container', import: 'imported' }[row.isolation]]
      : []),
  ];
  return apart.length === 0 ? row.model : `${row.model} (${apart.join(', ')})`;
}

export const rankedRows = ({ rows }: Pick<Leaderboard, 'rows'>): LeaderboardRow[] =>
  rows.filter(({ unranked }) => unranked === null);

/** The kind of score that orders the rows. */
export const kindOf = ({ comparison }: Pick<Leaderboard, 'comparison'>): 'best' | 'last' =>
  comparison.metric === 'best-submission' ? 'last' : 'best';
