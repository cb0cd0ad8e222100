/** What commands print while they run, for those who look at them now. */
export interface LiveOutputs {
  /** This run's output is watched for so many seconds from now. */
  watchRun(runId: string, seconds: number): Promise<void>;
  /** What its command has printed so far, unless it is not watched any more. Is it still watched? */
  saveLiveOutput(output: { runId: string; step: number; tail: string; worker: string }): Promise<boolean>;
  /** The command is over. */
  dropLiveOutput(runId: string): Promise<void>;
}
