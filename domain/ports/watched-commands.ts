import type { SandboxPort, SandboxRef } from './sandbox-port.js';

/** Running commands; copies the output of watched runs. */
export interface WatchedCommands {
  /** A command, numbered `n`, begins or is found again. The result ends the wait of this worker. */
  follow(sandbox: Pick<SandboxPort, 'printed'>, ref: SandboxRef, step: number, n: number): () => void;
}
