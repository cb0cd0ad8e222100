export type Placement =
  /** `epoch`: at least the one that was asked for; a run that was further by its row goes on from there. */
  { kind: 'placed'; hostId: string; epoch: number } | { kind: 'none'; reason: string };

/** Which host executes which run. Every write may be repeated. */
export interface Placements {
  /**
   * Choose the host that bears the run from this epoch on, and write it on the run's row; with `hostId` (a lease names it) that
   * one, unless it is heard and takes nothing new. Atomic over all workers. Without a host the run's status says that it waits. Placing an epoch again gives the same host.
   */
  placeRun(args: { runId: string; epoch: number; hostId?: string }): Promise<Placement>;
  /** The sandbox of this epoch is about to be made here. False: the run is elsewhere or further by now. */
  beginEpoch(runId: string, epoch: number, hostId: string): Promise<boolean>;
  /**
   * Is the host lost to this run? Only if it has missed its registrations while another was heard that could take the run;
   * or if an operator removed it. Says so in an event, once.
   */
  judgeHost(args: { runId: string; hostId: string; epoch: number }): Promise<'keep' | 'lost'>;
}
