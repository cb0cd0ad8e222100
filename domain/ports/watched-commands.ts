import type { SandboxPort, SandboxRef } from './sandbox-port.js';

/** Commands that run now; what those of watched runs print is shown meanwhile. */
export interface WatchedCommands {
  /** A command begins, or is found again; what is returned tells that this worker waits for it no longer. */
  follow(sandbox: Pick<SandboxPort, 'printed'>, ref: SandboxRef, step: number): () => void;
}
