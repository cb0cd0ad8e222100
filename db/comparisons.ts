import type { Comparisons } from '../domain/ports/comparisons.js';
import {
  comparisonState,
  removeComparison,
  saveComparison,
  savedComparison,
  savedComparisons,
} from './queries/comparisons.js';
import type { Statements } from './statements.js';

export const comparisons = (run: Statements): Comparisons => ({
  save: (name, options) => saveComparison(run, name, options),
  list: () => savedComparisons(run),
  find: (name) => savedComparison(run, name),
  state: (saved) => comparisonState(run, saved),
  remove: (name) => removeComparison(run, name),
});
