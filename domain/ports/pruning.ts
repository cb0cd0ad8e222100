/** What rows still need, and removal of rows that nothing needs. */
export interface Pruning {
  /** Snapshots of runs that ended more than `keepDays` days ago. */
  countOldSnapshots(keepDays: number): Promise<number>;
  removeOldSnapshots(keepDays: number): Promise<number>;
  /**
   * What the artifact store must keep: archives of snapshots (old ones apart, if asked so), of tasks and their data, and manifests of
   * submissions; and the names of disks that hosts must.
   */
  neededArtifacts(options: {
    withoutOlderThanDays: number | null;
  }): Promise<{ archives: string[]; disks: string[]; manifests: string[] }>;
  /** Rows of archives that are no snapshot's any more. */
  forgetArtifacts(): Promise<void>;
  /** Digests of images that unfinished runs use. */
  neededImages(): Promise<string[]>;
}
