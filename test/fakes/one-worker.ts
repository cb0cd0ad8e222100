import type { WorkerIdentity } from '../../domain/ports/worker-identity.js';

/** The only worker process: calls of others belong to dead processes. */
export const oneWorker: WorkerIdentity = { name: 'test-worker', isGone: () => true };
