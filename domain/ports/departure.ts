/** Whether this worker's host leaves, and what then happens to its runs. */
export interface Departure {
  readonly begun: boolean;
  /**
   * Is the host leaving, or about to be notified? A batch system that reclaims the machine may kill
   * the agent's processes first; that end is not the agent's own.
   */
  underWay(): Promise<boolean>;
  /** Work on the run begins here. */
  enter(runId: string): void;
  /** `settled`: the run's container of this epoch exists and runs no command. */
  leave(runId: string, settled: number | null): void;
  /** Save the run's sandbox between commands. Once per run; a failure only costs time. */
  keep(run: { runId: string; epoch: number; step: number }): Promise<void>;
}

/** For a host that stays. */
export const STAYS: Departure = {
  begun: false,
  underWay: () => Promise.resolve(false),
  enter: () => undefined,
  leave: () => undefined,
  keep: () => Promise.resolve(),
};
