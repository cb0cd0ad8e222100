import { describe, expect, it } from 'vitest';
import type { ServiceEndpoints } from '../../../domain/home/services.js';
import { workerEnvironment } from '../../../operations/home/start-worker.js';

const endpoints = (temporal: boolean): ServiceEndpoints => ({
  databaseUrl: 'postgresql://here/bench',
  temporalAddress: '127.0.0.1:7233',
  temporalNamespace: 'bench',
  temporalVariables: temporal ? { TEMPORAL_TLS: 'true', TEMPORAL_API_KEY: 'of the home' } : {},
  embedded: { postgres: true, temporal, worker: false },
});
const settings = {
  home: '/home',
  env: { BENCH_SLOTS: '3', BENCH_HOST: 'named', TEMPORAL_API_KEY: "somebody's", OPENAI_API_KEY: 'sk' },
};

describe('the environment of a worker', () => {
  it('has the services of the home, and what was set', () => {
    expect(workerEnvironment(settings, endpoints(false), {})).toMatchObject({
      BENCH_HOME: '/home',
      DATABASE_URL: 'postgresql://here/bench',
      TEMPORAL_ADDRESS: '127.0.0.1:7233',
      TEMPORAL_NAMESPACE: 'bench',
      BENCH_SLOTS: '3',
      OPENAI_API_KEY: 'sk',
      TEMPORAL_API_KEY: "somebody's",
    });
  });

  it("has the embedded Temporal's access, not that of another server", () => {
    const env = workerEnvironment(settings, endpoints(true), {});
    expect(env).toMatchObject({ TEMPORAL_TLS: 'true', TEMPORAL_API_KEY: 'of the home' });
  });

  it('says what was asked for instead of what was set', () => {
    const env = workerEnvironment(settings, endpoints(true), {
      slots: 8,
      evaluations: 2,
      memoryMb: 4096,
      roles: ['models', 'host'],
      gpus: 'none',
      metrics: '9464',
    });
    expect(env).toMatchObject({
      BENCH_SLOTS: '8',
      BENCH_EVALUATIONS: '2',
      BENCH_MEMORY_MB: '4096',
      BENCH_ROLES: 'models,host',
      BENCH_GPUS: 'none',
      BENCH_METRICS: '9464',
      BENCH_HOST: 'named',
    });
  });
});
