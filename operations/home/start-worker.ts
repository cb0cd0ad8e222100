import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { gpuSetting } from '../../domain/run/gpus.js';
import type { WorkerRequest } from '../../domain/requests/worker.js';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { withoutTemporalAccess } from '../../domain/home/temporal-access.js';
import type { BenchSettings } from '../settings.js';
import { checkGpus } from './check-gpus.js';

type Env = Record<string, string | undefined>;

export interface StartWorkerPorts {
  settings: Pick<BenchSettings, 'env' | 'home' | 'workerCommand'>;
  servicesWithoutWorker: () => Promise<ServiceEndpoints>;
}

export interface StartedWorker {
  kill(signal: NodeJS.Signals): void;
  /** Exit code; after a signal 128 plus its number, as in shells. */
  ended: Promise<number>;
}

/** Starts missing services, then a worker. BenchError (usage): requested GPUs are missing. */
export async function startWorker(
  { settings, servicesWithoutWorker }: StartWorkerPorts,
  request: WorkerRequest,
): Promise<StartedWorker> {
  await checkGpus(gpuSetting(request.gpus ?? settings.env['BENCH_GPUS']));
  const env = workerEnvironment(settings, await servicesWithoutWorker(), request);
  const [program = process.execPath, ...args] = settings.workerCommand;
  const child = spawn(program, args, { env, stdio: ['ignore', 2, 2] });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status, signal) => resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  return { kill: (signal) => void child.kill(signal), ended };
}

/** The worker's environment: the request overrides the settings. */
export function workerEnvironment(
  { env, home }: Pick<BenchSettings, 'env' | 'home'>,
  endpoints: ServiceEndpoints,
  request: WorkerRequest,
): Env {
  const asked: Env = {
    BENCH_HOST: request.host,
    BENCH_GPUS: request.gpus,
    BENCH_METRICS: request.metrics,
    BENCH_SLOTS: request.slots?.toString(),
    BENCH_EVALUATIONS: request.evaluations?.toString(),
    BENCH_MEMORY_MB: request.memoryMb?.toString(),
    BENCH_ROLES: request.roles?.join(','),
    BENCH_UNTIL: request.until,
    BENCH_GRACE_SECONDS: request.grace?.toString(),
  };
  return {
    ...(endpoints.embedded.temporal ? { ...withoutTemporalAccess(env), ...endpoints.temporalVariables } : env),
    BENCH_HOME: home,
    DATABASE_URL: endpoints.databaseUrl,
    TEMPORAL_ADDRESS: endpoints.temporalAddress,
    TEMPORAL_NAMESPACE: endpoints.temporalNamespace,
    ...Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)),
  };
}
