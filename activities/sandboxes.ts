import type { EvaluatorPort } from '../domain/ports/evaluator-port.js';
import type { SandboxPort } from '../domain/ports/sandbox-port.js';
import type { Backend } from '../domain/run.js';

/** Where the agents of a backend live, and where their submissions are evaluated. */
export interface BackendAdapters {
  sandbox: SandboxPort;
  evaluator: EvaluatorPort;
}

/** Adapters by backend, made at first use: an engine that is absent hurts only the runs that want it. */
export class Sandboxes {
  readonly #factories: Record<Backend, () => Promise<BackendAdapters>>;
  readonly #made = new Map<Backend, Promise<BackendAdapters>>();
  constructor(factories: Record<Backend, () => Promise<BackendAdapters>>) {
    this.#factories = factories;
  }
  async get(backend: Backend): Promise<SandboxPort> {
    return (await this.#adapters(backend)).sandbox;
  }
  /** The sandbox of a backend that has been used since this process started, else null. */
  async ifAvailable(backend: Backend): Promise<SandboxPort | null> {
    return (await this.#made.get(backend)?.catch(() => undefined))?.sandbox ?? null;
  }
  async evaluator(backend: Backend): Promise<EvaluatorPort> {
    return (await this.#adapters(backend)).evaluator;
  }
  #adapters(backend: Backend): Promise<BackendAdapters> {
    const made = this.#made.get(backend);
    if (made !== undefined) return made;
    const making = this.#factories[backend]();
    this.#made.set(backend, making);
    // A failed start is tried again by the next activity, not remembered.
    making.catch(() => this.#made.delete(backend));
    return making;
  }
}
