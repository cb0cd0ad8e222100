/**
 * The containers that this host is starting. A run that ends meanwhile has its containers removed: one that is not there yet is removed
 * by its start.
 */
export class StartsUnderWay {
  readonly #ofRun = new Map<string, Set<object>>();

  /** `isWanted`: false once the run's containers were removed after `work` began. */
  async during<T>(runId: string, work: (isWanted: () => boolean) => Promise<T>): Promise<T> {
    const start = {};
    const starts = this.#ofRun.get(runId) ?? new Set();
    this.#ofRun.set(runId, starts.add(start));
    try {
      return await work(() => starts.has(start));
    } finally {
      starts.delete(start);
      if (this.#ofRun.get(runId) === starts && starts.size === 0) this.#ofRun.delete(runId);
    }
  }

  /** To be called before the run's containers are removed. */
  giveUp(runId: string): void {
    this.#ofRun.get(runId)?.clear();
    this.#ofRun.delete(runId);
  }
}
