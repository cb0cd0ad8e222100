import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import type { ThrowawayHome } from '../throwaway-home.js';
import { CountingRelay } from './counting-relay.js';

const WORKER = resolve(import.meta.dirname, '../../worker/main.js');

/** The home's worker, behind a database relay. `home` needs BENCH_WORKER=external. */
export async function withRelayedWorker<T>(
  home: ThrowawayHome,
  endpoints: ServiceEndpoints,
  work: (worker: { relay: CountingRelay; pid: number | null }) => Promise<T>,
): Promise<T> {
  const { relay, url } = await CountingRelay.before(endpoints.databaseUrl);
  const readyFile = join(home.dir, 'relayed-worker-ready');
  const worker = execa(process.execPath, [WORKER], {
    env: {
      ...home.env,
      DATABASE_URL: url,
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
      await new Promise((wait) => setTimeout(wait, 50));
    }
    return await work({ relay, pid: worker.pid ?? null });
  } finally {
    worker.kill('SIGTERM');
    await ended;
    relay.close();
  }
}
