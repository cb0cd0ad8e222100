/** Output of running commands, for people who watch. */
export interface LiveOutputs {
  /** Watch this run for so many seconds from now. */
  watchRun(runId: string, seconds: number): Promise<void>;
  /** Saves the output so far if the run is still watched; returns whether it is. */
  saveLiveOutput(output: { runId: string; step: number; tail: string; worker: string }): Promise<boolean>;
  dropLiveOutput(runId: string): Promise<void>;
}
