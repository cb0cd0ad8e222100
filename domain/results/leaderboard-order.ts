/** What orders the rows of a leaderboard. */
export type LeaderboardOrder = 'win-rate' | 'rank';

/** MLGym-Bench orders by average rank. */
export const orderInMode = (mode: 'strict' | 'compat'): LeaderboardOrder => (mode === 'compat' ? 'rank' : 'win-rate');

type Figure = LeaderboardOrder | 'gain' | 'aup';

/** As headings of columns. */
export const FIGURE_NAMES: Readonly<Record<Figure, string>> = {
  'win-rate': 'win rate',
  gain: 'gain',
  aup: 'AUP',
  rank: 'avg rank',
};

/** One sentence for each figure, the same in every interface. */
export const FIGURE_MEANINGS: Readonly<Record<Figure, string>> = {
  'win-rate':
    'the chance that an attempt of the model beats an attempt of another model at one of these tasks; a tie is half a win',
  gain: 'the mean progress of an attempt from the baseline (0) to the target (1); it is 0 without a score, or within the noise of the baseline',
  aup: 'the area under the performance profile, as in MLGym-Bench; it depends on the whole set of models and tasks',
  rank: 'the mean position over the tasks, with the baseline as one of the methods',
};
