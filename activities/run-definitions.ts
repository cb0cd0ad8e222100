import type { RunDefinitions as StoredDefinitions } from '../domain/ports/record/run-definitions.js';
import type { RunDefinition } from '../domain/run/run.js';

/** Definitions never change after submit, so each worker reads them once per run. */
export class RunDefinitions {
  readonly #cache = new Map<string, RunDefinition>();
  readonly #store: StoredDefinitions;
  constructor(store: StoredDefinitions) {
    this.#store = store;
  }
  async get(runId: string): Promise<RunDefinition> {
    const known = this.#cache.get(runId);
    if (known !== undefined) return known;
    const run = await this.#store.definition(runId);
    // A worker lives for weeks: keep a bounded number.
    if (this.#cache.size >= 2_000) this.#cache.clear();
    this.#cache.set(runId, run);
    return run;
  }
  forget(runId: string): void {
    this.#cache.delete(runId);
  }
}
