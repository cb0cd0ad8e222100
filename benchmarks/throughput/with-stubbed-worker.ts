import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import type { ThrowawayHome } from '../throwaway-home.js';

const WORKER = resolve(import.meta.dirname, 'stubbed-worker.js');

/** `home` needs BENCH_WORKER=external. `work` gets the worker's process id. */
export async function withStubbedWorker<T>(
  home: ThrowawayHome,
  endpoints: ServiceEndpoints,
  work: (pid: number | null) => Promise<T>,
): Promise<T> {
  const readyFile = join(home.dir, 'stubbed-worker-ready');
  const worker = execa(process.execPath, [WORKER], {
    env: {
      ...home.env,
      DATABASE_URL: endpoints.databaseUrl,
      TEMPORAL_ADDRESS: endpoints.temporalAddress,
      ...endpoints.temporalVariables,
      BENCH_READY_FILE: readyFile,
      BENCH_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
    reject: false,
  });
  let over = false;
  const ended = worker.then(() => (over = true));
  try {
    while (!existsSync(readyFile)) {
      if (over) throw new Error('the worker ended at its start');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return await work(worker.pid ?? null);
  } finally {
    worker.kill('SIGTERM');
    await ended;
  }
}
