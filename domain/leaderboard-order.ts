/** What may order the rows of a leaderboard. */
export type LeaderboardOrder = 'win-rate' | 'gain' | 'aup' | 'rank';

/** The order that nobody asked for. */
export const orderMeant = (order: LeaderboardOrder | undefined, mode: 'strict' | 'compat'): LeaderboardOrder =>
  order ?? (mode === 'compat' ? 'rank' : 'win-rate');

/** As headings of columns. */
export const ORDER_NAMES: Readonly<Record<LeaderboardOrder, string>> = {
  'win-rate': 'win rate',
  gain: 'gain',
  aup: 'AUP',
  rank: 'avg rank',
};

/** The same, written out. */
export const ORDER_TITLES: Readonly<Record<LeaderboardOrder, string>> = {
  'win-rate': 'win rate',
  gain: 'mean gain',
  aup: 'AUP',
  rank: 'average rank',
};

/** One sentence for each figure, the same on every door. */
export const ORDER_MEANINGS: Readonly<Record<LeaderboardOrder, string>> = {
  'win-rate': 'the chance that an attempt beats one of another model at one of these tasks; ties are half a win',
  gain: 'the mean way of an attempt from the baseline (0) to the target (1); without a score, or within the noise of the baseline, it is 0',
  aup: 'the area under the performance profile, as MLGym-Bench has it: it depends on all that is compared',
  rank: 'the mean position over the tasks, the baseline among the methods',
};
