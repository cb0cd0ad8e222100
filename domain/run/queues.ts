/** Workflow code uses this at run time: it imports nothing. */

/** Workflows, and activities that touch only Postgres. */
export const CONTROL_QUEUE = 'bench-control';

/** Stable per host, since containers outlive workers. */
export const hostQueue = (hostId: string): string => `bench-host-${hostId}`;

/** Evaluations have wall-clock limits, so a host takes few at once, however many runs it has. */
export const evaluationQueue = (hostId: string): string => `bench-evaluations-${hostId}`;

/** Polled but never filled, by a host that reaches Temporal and not PostgreSQL. */
export const cutOffQueue = (hostId: string): string => `bench-cut-off-${hostId}`;

/** Separate, so that one provider's limits do not block another's calls. */
export const modelQueue = (provider: string): string => `bench-models-${provider}`;

/** For people, trainers and all other external players. */
export const EXTERNAL_PROVIDER = 'external';

/** Any worker with the database serves these. */
const KEYLESS_PROVIDERS: readonly string[] = ['scripted', 'replay', EXTERNAL_PROVIDER];
export const isKeyless = (provider: string): boolean => KEYLESS_PROVIDERS.includes(provider);

export const batchWorkflowId = (batchId: string): string => `batch/${batchId}`;
export const shardWorkflowId = (batchId: string, shard: number): string => `batch/${batchId}/shard-${shard}`;
export const runWorkflowId = (runId: string): string => `run/${runId}`;
/** Of Temporal's schedule, and of the workflows that it starts, to which it adds the time. */
export const scheduleId = (name: string): string => `schedule/${name}`;
export const GPU_POOL_WORKFLOW_ID = 'gpu-pool';

/** Marks the owner of the Temporal namespace. No worker executes it. */
export const INSTALLATION_WORKFLOW_ID = 'bench-installation';
