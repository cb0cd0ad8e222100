import { profileMeant } from '../../../domain/task/profile.js';
import type { ComparisonDocument, SavedComparison } from '../../../domain/views/comparisons.js';

/** Its JSON; T as in the leaderboard's. */
export const comparisonDocument = ({ name, createdAt, options }: SavedComparison): ComparisonDocument => {
  const { models, tasks, contracts, baselines, targets, k, axis, mode, metric } = options;
  const { includeSuspect, includeLocal, includeImported, includeScripted, sample, profile, batchId } = options;
  return {
    ...{ name, createdAt, models, tasks, contracts, baselines, k: k ?? null, T: axis },
    targets: targets ?? null,
    ...{ mode: mode ?? 'strict', metric: metric ?? 'best-attempt' },
    ...{ includeSuspect: includeSuspect === true, includeLocal: includeLocal === true },
    ...{
      includeImported: includeImported === true,
      includeScripted: includeScripted === true,
      sample: sample === true,
    },
    ...{ profile: profileMeant(profile, sample === true), batchId: batchId ?? null },
  };
};
