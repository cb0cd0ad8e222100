import type { Deletion } from './deletion.js';
import type { Comparisons } from './comparisons.js';
import type { Episodes } from './episodes.js';
import type { Exports } from './exports.js';
import type { RunImports } from './imports.js';
import type { Keys } from './keys.js';
import type { Notifications } from './notifications.js';
import type { Pruning } from './pruning.js';
import type { RateControl } from './rate-control.js';
import type { RateStore } from './rate-store.js';
import type { Pages } from './reading/pages.js';
import type { Queries } from './reading/queries.js';
import type { BatchControl } from './record/batch-control.js';
import type { BatchIntake } from './record/batch-intake.js';
import type { Rollouts } from './rollouts.js';
import type { RunStore } from './run-store.js';
import type { Schedules } from './schedules.js';
import type { Turns } from './turns.js';

/** All stores of a database. Compose them in one place; a verb names the small ports it uses. */
export interface Stores {
  readonly store: RunStore;
  readonly queries: Queries;
  /** Reads by parts. */
  readonly pages: Pages;
  /** Questions to external players, and their replies. */
  readonly turns: Turns;
  /** Runs that trainers play. */
  readonly episodes: Episodes;
  /** Episodes that bench plays. */
  readonly rollouts: Rollouts;
  readonly notifications: Notifications;
  readonly rates: RateStore;
  readonly rateControl: RateControl;
  readonly pruning: Pruning;
  readonly deletion: Deletion;
  readonly keys: Keys;
  readonly intake: BatchIntake;
  readonly batchControl: BatchControl;
  readonly comparisons: Comparisons;
  readonly schedules: Schedules;
  readonly exports: Exports;
  readonly imports: RunImports;
}
