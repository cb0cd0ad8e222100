export type Placement =
  /** `epoch`: at least the requested one; higher if the run's row is further. */
  { kind: 'placed'; hostId: string; epoch: number } | { kind: 'none'; reason: string };

/** Which host executes which run. Every write may be repeated. */
export interface Placements {
  /**
   * Choose and store the run's host from this epoch on, atomically over all workers; idempotent.
   * Without a host the run is set to waiting. `hostId` (from a lease): that host, unless it is
   * alive and takes no new runs. `seconds`: the run's longest duration; hosts that leave sooner are
   * skipped.
   */
  placeRun(args: { runId: string; epoch: number; hostId?: string; seconds?: number }): Promise<Placement>;
  /** Call before creating this epoch's sandbox. False: the run has moved or is in a later epoch. */
  beginEpoch(runId: string, epoch: number, hostId: string): Promise<boolean>;
  /**
   * Is the host lost to this run? Only if it missed registrations while another suitable host
   * registered, or an operator removed it. Writes one event. `left`: it left as announced.
   */
  judgeHost(args: { runId: string; hostId: string; epoch: number }): Promise<'keep' | 'lost' | 'left'>;
}
