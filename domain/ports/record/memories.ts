/** Notes of earlier runs of the same task and model. */
export interface MemoryLog {
  /**
   * The task's memory for this run, oldest first; null: none. The first call fixes the moment
   * before which the same model's records count, so that a new container gets the same ones.
   */
  beginMemory(runId: string): Promise<string[] | null>;
  /** Null: no memory, or not begun. */
  memoryRecords(runId: string): Promise<number | null>;
}
