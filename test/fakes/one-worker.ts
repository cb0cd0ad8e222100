import type { WorkerIdentity } from '../../domain/ports/worker-identity.js';

/** A worker whose process is the only one: calls of others are of processes that are gone. */
export const oneWorker: WorkerIdentity = { name: 'test-worker', isGone: () => true };
