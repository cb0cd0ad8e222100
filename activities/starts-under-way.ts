/** If a run's containers are removed while one starts, the start removes its own. */
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

  /** Call before the run's containers are removed. */
  giveUp(runId: string): void {
    this.#ofRun.get(runId)?.clear();
    this.#ofRun.delete(runId);
  }
}
