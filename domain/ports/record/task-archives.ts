/** Where frozen tasks lie in the artifact store, for hosts that do not have them. */
export interface TaskArchives {
  /** SHA-256 of the archive; null: none was stored. */
  taskArchive(taskHash: string): Promise<string | null>;
  /** Its archive and its prepared files are in the store; `bench prune` keeps them. */
  saveTaskArchive(
    taskHash: string,
    archive: { sha256: string; bytes: number },
    data: readonly { sha256: string; bytes: number }[],
  ): Promise<void>;
}
