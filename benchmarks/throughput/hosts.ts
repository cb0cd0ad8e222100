import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { cpuTimeMs } from '../cpu-time.js';
import type { ThrowawayHome } from '../throwaway-home.js';

const WORKER = resolve(import.meta.dirname, '../../worker/main.js');
const UP_WITHIN_MS = 60_000;

/** Hosts on this machine: each a worker with its own home that only executes commands. */
export class Hosts {
  readonly #workers: ChildProcess[];

  private constructor(workers: ChildProcess[]) {
    this.#workers = workers;
  }

  /** Resolves once the home knows them all. Throws if one ends or a minute passes. */
  static async start(
    home: ThrowawayHome,
    endpoints: ServiceEndpoints,
    { count, slots }: { count: number; slots: number },
  ): Promise<Hosts> {
    const started = new Hosts(
      Array.from({ length: count }, (_, i) => {
        const dir = join(home.dir, `host-${i + 1}`);
        mkdirSync(dir, { recursive: true });
        return spawn(process.execPath, [WORKER], {
          env: {
            ...{ PATH: process.env['PATH'], HOME: process.env['HOME'] },
            ...{ BENCH_HOME: dir, BENCH_HOST: `host-${i + 1}`, BENCH_ROLES: 'host', BENCH_GPUS: 'none' },
            ...{ DATABASE_URL: endpoints.databaseUrl, TEMPORAL_ADDRESS: endpoints.temporalAddress },
            ...endpoints.temporalVariables,
            ...{ BENCH_SLOTS: String(Math.ceil(slots / count)), BENCH_ARTIFACTS: join(home.dir, 'artifacts') },
            BENCH_CONFIGS: home.env['BENCH_CONFIGS'],
          },
          stdio: 'ignore',
        });
      }),
    );
    try {
      await started.#untilUp(home, count);
    } catch (error) {
      await started.stop();
      throw error;
    }
    return started;
  }

  async #untilUp(home: ThrowawayHome, count: number): Promise<void> {
    const deadline = Date.now() + UP_WITHIN_MS;
    for (;;) {
      const { hosts } = await home.bench<{ hosts: { hostId: string; state: string }[] }>('hosts');
      if (hosts.filter(({ hostId, state }) => hostId.startsWith('host-') && state === 'up').length >= count) return;
      const ended = this.#workers.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
      if (ended !== undefined || Date.now() > deadline) throw new Error('a host did not come up');
      await new Promise((wait) => setTimeout(wait, 500));
    }
  }

  cpuMs(): number {
    return cpuTimeMs(this.#workers.flatMap(({ pid }) => pid ?? []));
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#workers.map(async (worker) => {
        if (worker.exitCode !== null || worker.signalCode !== null) return;
        const gone = new Promise((done) => worker.once('exit', done));
        worker.kill('SIGTERM');
        await gone;
      }),
    );
  }
}
