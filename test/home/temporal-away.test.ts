import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import type { BatchDocument } from '../../domain/views/batches.js';
import { BenchHome } from '../setup/bench-home.js';
import { LONG } from '../setup/long.js';
import { until } from '../setup/services-home.js';
import { servicePaths } from '../../services/home-paths.js';
import { readServicesFile } from '../../services/services-file.js';

/** Commands that read the record. */
const READING = [
  ['status'],
  ['runs'],
  ['leaderboard'],
  ['batches'],
  ['events'],
  ['hosts'],
  ['limits'],
  ['sql', 'select count(*) from runs'],
];

const home = new BenchHome();
let endpoints: ServiceEndpoints;
/** A batch that is not over. */
let open: string;
beforeAll(async () => {
  endpoints = await home.json<ServiceEndpoints>('up');
  await home.json(
    ...['submit', '--models', 'scripted:baseline', '--tasks', 'battleOfSexes', '--attempts', '1'],
    ...['--backend', 'local', '--wait'],
  );
  const long = ['--models', 'scripted:slow:3600', '--tasks', 'battleOfSexes', '--attempts', '1', '--backend', 'local'];
  open = (await home.json<{ batchId: string }>('submit', ...long)).batchId;
});
afterAll(() => home.remove());

describe('without the Temporal server of the environment, commands that read answer', () => {
  let silent: Server;
  const sockets: Socket[] = [];
  const elsewhere: BenchHome[] = [];
  beforeAll(async () => {
    silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    silent.close();
    for (const other of elsewhere) await other.remove();
  });

  const reader = (temporalAddress: string, more: Record<string, string>): BenchHome => {
    const other = new BenchHome(
      { DATABASE_URL: endpoints.databaseUrl, TEMPORAL_ADDRESS: temporalAddress, ...more },
      { bare: true },
    );
    elsewhere.push(other);
    return other;
  };
  const portOf = (): number => (silent.address() as { port: number }).port;
  const FURTHER: [string, string[][], () => number, Record<string, string>][] = [
    ['that never answers, for a home with a worker', READING.slice(0, 1), () => portOf(), {}],
    // Nothing listens there.
    ['that is down', READING.slice(0, 1), () => 1, { BENCH_WORKER: 'external' }],
  ];

  it.each([
    [
      'that accepts connections and never answers',
      LONG ? READING : READING.slice(0, 1),
      () => portOf(),
      { BENCH_WORKER: 'external' },
    ],
    ...(LONG ? FURTHER : []),
  ])('one %s', async (_how, reading, port, more) => {
    const other = reader(`127.0.0.1:${port()}`, more);
    for (const args of reading) {
      const { exitCode, stdout, stderr } = await other.run(...args);
      expect([args[0], exitCode, stderr]).toEqual([args[0], 0, expect.any(String)]);
      expect(stdout).not.toBe('');
      expect(stderr).toContain('what PostgreSQL has is shown');
    }
    // A batch that is not over says what blocks it.
    const { blockedBy } = await other.json<BatchDocument>('status', open);
    expect(blockedBy).toEqual({ cause: 'temporal', detail: expect.stringContaining(`:${port()}`) as string });
    expect((await other.run('status', open)).stdout).toMatch(/blocked: Temporal does not answer: .*; .* step/);
    // One that gives work still needs it.
    const { exitCode, stderr } = await other.run('resume');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('no Temporal server answers')]);
  });
});

// Without it, the test above has one that never answers.
it.runIf(LONG)('commands that read answer while the embedded Temporal hangs', async () => {
  const temporal = readServicesFile(servicePaths(home.dir).layout.servicesFile)?.services.temporal?.process?.pid ?? 0;
  process.kill(temporal, 'SIGSTOP');
  try {
    for (const args of READING.slice(0, 3)) {
      const { exitCode, stderr } = await home.run(...args);
      expect([args[0], exitCode]).toEqual([args[0], 0]);
      expect(stderr).toContain('what PostgreSQL has is shown');
    }
  } finally {
    process.kill(temporal, 'SIGCONT');
  }
  await until('all is as before', async () => {
    const { stderr } = await home.run('status');
    return stderr === '';
  });
  const state = await home.json<BatchDocument>('status', open);
  expect([state.status, state.blockedBy]).toEqual(['running', null]);
  await home.run('cancel', open);
});
