import type { RunStatus } from '../../run/outcomes.js';
import type { Isolation, LimitKind, RunEnd } from '../../run/run.js';

/** A run's status, from its first sandbox to its end. */
export interface RunLifecycle {
  setStatus(runId: string, status: RunStatus): Promise<void>;
  /** The sandbox of (run, epoch) stands: records host, isolation, image digest, workspace and start time (first epoch). */
  sandboxStarted(
    runId: string,
    at: {
      epoch: number;
      hostId: string;
      isolation: Isolation;
      imageDigest: string | null;
      workspace: string;
      workspaceLimit?: 'file_system' | 'watched' | null;
      unenforcedLimits?: readonly LimitKind[];
    },
  ): Promise<void>;
  /** The workspace path of the run's sandbox, as the agent sees it. */
  workspace(runId: string): Promise<string>;
  runEnded(runId: string): Promise<boolean>;
  /** Of those that are in the database, or have a sandbox started ahead: has it ended, and which container of it is the current one (0: none yet)? */
  runStates(runIds: readonly string[]): Promise<Map<string, { ended: boolean; epoch: number }>>;
  /**
   * The run has ended: final. A run ends once; a second call with the same or another end changes nothing. The batch may pause
   * itself by that.
   */
  finishRun(runId: string, end: RunEnd): Promise<void>;
  /** The same end for those of these runs that have not ended. */
  finishRuns(runIds: readonly string[], end: RunEnd): Promise<void>;
}
