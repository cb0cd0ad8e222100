/** Whether the host of this worker leaves, and what it does for its runs then. */
export interface Departure {
  readonly begun: boolean;
  /** Commands may have begun beside their workflows, and be running when they are first asked for on the host's queue. */
  readonly commandsBeside: boolean;
  /**
   * Does it leave, or is it told so in the next moment? Who takes the machine back may end what runs there first: an end that is not the
   * agent's own.
   */
  underWay(): Promise<boolean>;
  /** What the runs' activities here have begun and not ended. */
  count(change: 1 | -1): void;
  /** Keep the run's world as it is after a step, between commands. Once per run; what cannot be kept only costs time. */
  keep(run: { runId: string; epoch: number; step: number }): Promise<void>;
}

/** Of a host that stays. */
export const STAYS: Departure = {
  begun: false,
  underWay: () => Promise.resolve(false),
  commandsBeside: false,
  count: () => undefined,
  keep: () => Promise.resolve(),
};
