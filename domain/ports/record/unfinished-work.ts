/** What workflows should be executing now, by the rows. */
export interface UnfinishedWork {
  unfinishedWork(): Promise<{
    /** Batches of workflows, except those that are just being submitted. */
    batchIds: string[];
    /** Those whose runs all ended some time ago. */
    settledIds: string[];
    /** Begun runs; `batchId`: whose workflow starts them; null: another run's or a server does. */
    runs: { runId: string; batchId: string | null }[];
    gpuHosts: boolean;
  }>;
  /** Begun runs without a recent record, at most `most`, others each time. */
  quietRuns(most: number): Promise<string[]>;
  isUnfinished(of: { batchId: string } | { runId: string }): Promise<boolean>;
}
