/** Whether the host of this worker leaves, and what it does for its runs then. */
export interface Departure {
  readonly begun: boolean;
  /**
   * Does it leave, or will it be notified in a moment? A batch system that takes the machine back may end the
   * agent's processes first: an end that is not the agent's own.
   */
  underWay(): Promise<boolean>;
  /** Something of the run begins here. */
  enter(runId: string): void;
  /** It is over. `settled`: in this epoch the run's container is there, and no command runs in it until the next begins. */
  leave(runId: string, settled: number | null): void;
  /** Keep the run's world as it is after a step, between commands. Once per run; what cannot be kept only costs time. */
  keep(run: { runId: string; epoch: number; step: number }): Promise<void>;
}

/** Of a host that stays. */
export const STAYS: Departure = {
  begun: false,
  underWay: () => Promise.resolve(false),
  enter: () => undefined,
  leave: () => undefined,
  keep: () => Promise.resolve(),
};
