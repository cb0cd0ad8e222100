import { profileMeant } from '../../../domain/task/profile.js';
import type { ComparisonDocument, SavedComparison } from '../../../domain/views/comparisons.js';

/** Its JSON; T as in the leaderboard's. */
export const comparisonDocument = ({ name, createdAt, options }: SavedComparison): ComparisonDocument => {
  const { models, tasks, contracts, baselines, targets = null, k = null, axis, batchId = null } = options;
  const { mode = 'strict', metric = 'best-attempt', include = [], sample = false, profile } = options;
  return {
    ...{ name, createdAt, models, tasks, contracts, baselines, targets, k, T: axis },
    ...{ mode, metric, include: [...include], sample, profile: profileMeant(profile, sample), batchId },
  };
};
