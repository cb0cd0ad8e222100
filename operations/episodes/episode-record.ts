import type { RunPages } from '../../domain/ports/reading/run-pages.js';
import type { TrajectoryReads } from '../../domain/ports/reading/trajectories.js';
import type { RunFiles } from '../../domain/views/run-head.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';

/** All steps of an episode so far. */
export const episodeSteps = (
  { queries }: { queries: Pick<TrajectoryReads, 'trajectory'> },
  runId: string,
): Promise<TrajectoryStep[]> => queries.trajectory(runId, 0);

/** Snapshots of an episode's workspace. */
export const episodeSnapshots = async (
  { pages }: { pages: Pick<RunPages, 'takenFiles'> },
  runId: string,
): Promise<RunFiles['snapshots']> => (await pages.takenFiles(runId)).snapshots;
