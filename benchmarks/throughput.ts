/**
 * The load that one machine can take on embedded services: steps per second, CPU time per step and
 * the worker's memory, by concurrent runs and by hosts; the same steps in MLGym; a batch of many
 * short runs, and recorded runs, with commands that do nothing; the time from a crash to the next
 * step.
 *
 *   npm run benchmark:throughput -- [--backends local,docker] [--concurrent 1,16,64,200]
 *     [--parts concurrency,hosts,mlgym,large,recorded,recovery]
 *     [--models scripted,http --latency <ms of an answer over HTTP>] [--hosts 1,2,4] [--steps 20]
 *     [--runs 5000] [--recordings <folder of .traj files>]
 *     [--mlgym <checkout> --mlgym-python <Python with its environment's packages>
 *       --mlgym-image aigym/mlgym-agent:latest]
 */
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { ServiceEndpoints } from '../domain/home/services.js';
import { lightConfigs } from './light-configs.js';
import { connectTemporal } from '../temporal/connect.js';
import { CountingProvider } from './counting-provider.js';
import { ThrowawayHome } from './throwaway-home.js';
import { type ConcurrencyFigures, measureConcurrency } from './throughput/concurrency.js';
import { Hosts } from './throughput/hosts.js';
import { measureLargeBatch } from './throughput/large-batch.js';
import { measureMlgym } from './throughput/mlgym.js';
import { measureRecordedRuns, trajectoriesBelow } from './throughput/recorded-runs.js';
import { measureRecovery } from './throughput/recovery.js';

const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: 'concurrency,hosts,large,recorded,recovery' },
    backends: { type: 'string', default: 'local,docker' },
    models: { type: 'string', default: 'scripted,http' },
    latency: { type: 'string', default: '0' },
    concurrent: { type: 'string', default: '1,16,64,200' },
    hosts: { type: 'string', default: '1,2,4' },
    steps: { type: 'string', default: '20' },
    runs: { type: 'string', default: '5000' },
    recordings: { type: 'string' },
    mlgym: { type: 'string' },
    'mlgym-python': { type: 'string', default: 'python3' },
    'mlgym-image': { type: 'string', default: 'aigym/mlgym-agent:latest' },
  },
});
const CONFIGS = resolve(import.meta.dirname, '../../configs');
const most = Math.max(...values.concurrent.split(',').map(Number));

interface Place {
  home: ThrowawayHome;
  database: pg.Client;
  endpoints: ServiceEndpoints;
}

/** Each part has its own services, so that tables and caches are not shared. */
async function inHome<T>(env: Record<string, string>, work: (place: Place) => Promise<T>): Promise<T> {
  const home = new ThrowawayHome('throughput', env);
  try {
    home.env['BENCH_CONFIGS'] = lightConfigs(CONFIGS, join(home.dir, 'configs'), 1);
    const endpoints = await home.bench<ServiceEndpoints>('up');
    const database = new pg.Client({ connectionString: endpoints.databaseUrl });
    await database.connect();
    try {
      return await work({ home, database, endpoints });
    } finally {
      await database.end();
    }
  } finally {
    await home.remove();
  }
}

const say = (figures: object): void => {
  const words = Object.entries(figures).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  process.stderr.write(`  ${words.join('  ')}\n`);
};
const title = (text: string): void => void process.stderr.write(`\n${text}\n`);

/** bench's figures for comparison with another program's. */
async function beside(wanted: { backend: string; concurrent: number; steps: number }): Promise<ConcurrencyFigures> {
  const figures = await inHome({ BENCH_SLOTS: String(wanted.concurrent) }, async ({ home, database, endpoints }) => {
    const temporal = await connectTemporal(endpoints, {});
    try {
      return await measureConcurrency({ home, database, temporal }, wanted);
    } finally {
      await temporal.connection.close();
    }
  });
  say(figures);
  return figures;
}

const parts: Record<string, () => Promise<unknown>> = {
  concurrency: async () => {
    const steps = Number(values.steps);
    const provider = await CountingProvider.start();
    await provider.begin({ steps, latencyMs: Number(values.latency), outputBytes: 0 });
    const env = { BENCH_SLOTS: String(most), VLLM_BASE_URL: `${provider.url}/v1` };
    try {
      return await inHome(env, async ({ home, database, endpoints }) => {
        const all = [];
        const temporal = await connectTemporal(endpoints, {});
        const wanted = values.backends
          .split(',')
          .flatMap((backend) => values.models.split(',').map((model) => ({ backend, model })));
        for (const { backend, model } of wanted) {
          title(`${steps} steps a run on ${backend}, ${model}`);
          for (const concurrent of values.concurrent.split(',').map(Number)) {
            const figures = await measureConcurrency(
              { home, database, temporal },
              { backend, concurrent, steps, ...(model === 'http' ? { model: 'vllm' } : {}) },
            );
            say(figures);
            all.push(figures);
          }
        }
        await temporal.connection.close();
        return all;
      });
    } finally {
      provider.stop();
    }
  },
  hosts: async () => {
    const all = [];
    for (const count of values.hosts.split(',').map(Number)) {
      title(`64 runs of ${values.steps} steps on ${count} hosts of their own home, all on this machine`);
      const figures = await inHome(
        { BENCH_ROLES: 'workflows,models', BENCH_GPUS: 'none' },
        async ({ home, database, endpoints }) => {
          home.env['BENCH_ARTIFACTS'] = join(home.dir, 'artifacts');
          const temporal = await connectTemporal(endpoints, {});
          const hosts = await Hosts.start(home, endpoints, { count, slots: 64 });
          try {
            return await measureConcurrency(
              { home, database, temporal, hosts },
              { backend: 'local', concurrent: 64, steps: Number(values.steps) },
            );
          } finally {
            await hosts.stop();
            await temporal.connection.close();
          }
        },
      );
      const one = { hosts: count, ...figures };
      say(one);
      all.push(one);
    }
    return all;
  },
  mlgym: async () => {
    title(`one run of ${values.steps} steps on docker, and as many steps of MLGym`);
    if (values.mlgym === undefined) {
      process.stderr.write('  not measured: give --mlgym\n');
      return null;
    }
    const ours = await beside({ backend: 'docker', concurrent: 1, steps: Number(values.steps) });
    const place = { checkout: values.mlgym, python: values['mlgym-python'], image: values['mlgym-image'] };
    const figures = await measureMlgym(place, Number(values.steps), ours);
    say(figures);
    return { bench: ours, mlgym: figures };
  },
  large: () =>
    inHome({ BENCH_WORKER: 'external' }, async ({ home, database, endpoints }) => {
      title(`a batch of ${values.runs} runs of two steps that do nothing, 64 at once`);
      const figures = await measureLargeBatch(home, database, endpoints, { runs: Number(values.runs), concurrent: 64 });
      say(figures);
      return figures;
    }),
  recorded: async () => {
    title('recorded runs, commands do nothing');
    if (values.recordings === undefined) {
      process.stderr.write('  not measured: give --recordings\n');
      return null;
    }
    const recordings = trajectoriesBelow(values.recordings);
    return inHome({ BENCH_WORKER: 'external' }, async ({ home, database, endpoints }) => {
      const figures = await measureRecordedRuns(home, database, endpoints, { recordings, attempts: 4, concurrent: 16 });
      say(figures);
      return figures;
    });
  },
  recovery: () =>
    inHome({}, async ({ home, database }) => {
      title('64 runs, the worker killed, seconds');
      const figures = await measureRecovery(home, database, { runs: 64 });
      say(figures);
      return figures;
    }),
};

const results: Record<string, unknown> = {};
for (const part of values.parts.split(',')) {
  const measure = parts[part];
  if (measure === undefined) throw new Error(`there is no part ${part}: ${Object.keys(parts).join(', ')}`);
  results[part] = await measure();
}
process.stdout.write(
  `${JSON.stringify({ benchmark: 'throughput', cores: cpus().length, loadAtEnd: loadavg()[0], results })}\n`,
);
