import type { RunStatus } from '../../run/outcomes.js';
import type { Isolation, LimitKind, RunEnd } from '../../run/run.js';

/** A run's status, from its first sandbox to its end. */
export interface RunLifecycle {
  setStatus(runId: string, status: RunStatus): Promise<void>;
  /** The sandbox is ready: the run is running. One of an earlier epoch changes nothing. */
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
  /** Path as the agent sees it. */
  workspace(runId: string): Promise<string>;
  runEnded(runId: string): Promise<boolean>;
  /** Of stored runs and warm sandboxes. `epoch`: of the current container (0: none yet). */
  runStates(runIds: readonly string[]): Promise<Map<string, { ended: boolean; epoch: number }>>;
  /** Final: a run ends once, and later calls change nothing. May pause the batch. */
  finishRun(runId: string, end: RunEnd): Promise<void>;
  /** The same end for all unfinished runs among these. */
  finishRuns(runIds: readonly string[], end: RunEnd): Promise<void>;
}
