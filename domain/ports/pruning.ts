export interface Pruning {
  /** Snapshots of runs that ended more than `keepDays` days ago. */
  countOldSnapshots(keepDays: number): Promise<number>;
  removeOldSnapshots(keepDays: number): Promise<number>;
  /**
   * Archives of snapshots, tasks and their data, and manifests of submissions, for the artifact
   * store to keep; `disks`: names, for hosts to keep.
   */
  neededArtifacts(options: {
    withoutOlderThanDays: number | null;
  }): Promise<{ archives: string[]; disks: string[]; manifests: string[] }>;
  /** Rows of archives without a snapshot. */
  forgetArtifacts(): Promise<void>;
  /** Digests of images that unfinished runs use. */
  neededImages(): Promise<string[]>;
}
