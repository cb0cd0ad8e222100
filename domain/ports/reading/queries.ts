import type { BatchReads } from './batches.js';
import type { EventReads } from './events.js';
import type { FigureReads } from './figures.js';
import type { FleetReads } from './fleet.js';
import type { ForecastReads } from './forecasts.js';
import type { LeaderboardReads } from './leaderboards.js';
import type { RunReads } from './runs.js';
import type { TrainingReads } from './training.js';
import type { TrajectoryReads } from './trajectories.js';
import type { TreeReads } from './trees.js';

/** Unknown or ambiguous references are BenchErrors (not_found) that name candidates. */
export type Queries = BatchReads &
  RunReads &
  TrajectoryReads &
  ForecastReads &
  LeaderboardReads &
  TrainingReads &
  TreeReads &
  FleetReads &
  EventReads &
  FigureReads;
