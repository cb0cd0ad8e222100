/** What earlier runs of the same task and model wrote down. */
export interface MemoryLog {
  /**
   * The task's memory as this run may read it, oldest record first; null: it has none. What the same model wrote in runs of the task
   * before this one began: the first call fixes when that was, so that a new container is given the same.
   */
  beginMemory(runId: string): Promise<string[] | null>;
  /** How many records that were; null: no memory, or not begun. */
  memoryRecords(runId: string): Promise<number | null>;
}
