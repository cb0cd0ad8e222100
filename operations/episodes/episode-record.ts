import type { RunPages } from '../../domain/ports/reading/run-pages.js';
import type { TrajectoryReads } from '../../domain/ports/reading/trajectories.js';
import type { RunFiles } from '../../domain/views/run-head.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';

export const episodeSteps = (
  { queries }: { queries: Pick<TrajectoryReads, 'trajectory'> },
  runId: string,
): Promise<TrajectoryStep[]> => queries.trajectory(runId, 0);

export const episodeSnapshots = async (
  { pages }: { pages: Pick<RunPages, 'takenFiles'> },
  runId: string,
): Promise<RunFiles['snapshots']> => (await pages.takenFiles(runId)).snapshots;
