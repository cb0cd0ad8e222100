export type Placement =
  /** `epoch`: at least the requested one; higher if the run's row is further. */
  { kind: 'placed'; hostId: string; epoch: number } | { kind: 'none'; reason: string };

/** Which host executes which run. Every write may be repeated. */
export interface Placements {
  /**
   * Choose the run's host from this epoch on and store it in its row. With `hostId` (from a lease) choose that one, unless it is alive
   * and takes no new runs. `seconds`: what the run may take until its end; a host that leaves before is not chosen. Atomic over all workers. Without a host the run's status is set to waiting. Placing an epoch again returns
   * the same host.
   */
  placeRun(args: { runId: string; epoch: number; hostId?: string; seconds?: number }): Promise<Placement>;
  /** The sandbox of this epoch is about to be made here. False: the run has moved or is in a later epoch. */
  beginEpoch(runId: string, epoch: number, hostId: string): Promise<boolean>;
  /**
   * Is the host lost to this run? Only if it missed its registrations while another host that could take the run registered, or if an
   * operator removed it. Written as an event, once. `left`: it went as announced.
   */
  judgeHost(args: { runId: string; hostId: string; epoch: number }): Promise<'keep' | 'lost' | 'left'>;
}
