/** Frozen tasks in the artifact store, for hosts that lack them. */
export interface TaskArchives {
  /** SHA-256. */
  taskArchive(taskHash: string): Promise<string | null>;
  /** Archive and prepared files are in the store; `bench prune` keeps them. */
  saveTaskArchive(
    taskHash: string,
    archive: { sha256: string; bytes: number },
    data: readonly { sha256: string; bytes: number }[],
  ): Promise<void>;
}
