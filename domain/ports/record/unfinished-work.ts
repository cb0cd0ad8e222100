/** What workflows should be executing now, by the rows. */
export interface UnfinishedWork {
  unfinishedWork(): Promise<{
    /** Batches that a workflow plays, except those that are just being submitted. */
    batchIds: string[];
    /** Those of them whose runs have all ended some time ago. */
    settledIds: string[];
    /** Runs that have begun, with the batch whose workflow starts them; null: that of another run, or a server does. */
    runs: { runId: string; batchId: string | null }[];
    /** Hosts with GPUs are known. */
    gpuHosts: boolean;
  }>;
  /** Runs that have begun and recorded nothing for a while, at most so many, others each time. */
  quietRuns(most: number): Promise<string[]>;
  /** Has it still not ended? */
  isUnfinished(of: { batchId: string } | { runId: string }): Promise<boolean>;
}
