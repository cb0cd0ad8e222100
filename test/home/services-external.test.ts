import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../db/index.js';
import { BenchError } from '../../domain/errors.js';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { chooseFreePort, servicesStatus } from '../../services/index.js';
import { query, ServicesHome, until } from '../setup/services-home.js';

async function failure(work: Promise<unknown>): Promise<BenchError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BenchError)) throw new Error(`expected a BenchError, got ${String(error)}`);
  expect(error.type).toBe('services');
  expect(error.exitCode).toBe(1);
  expect(error.remedy).toBeTruthy();
  expect(`${error.message} ${error.remedy}`).not.toContain('hush');
  return error;
}

describe('services that the environment names', () => {
  // One home lends its servers to the other.
  const lender = new ServicesHome();
  const home = new ServicesHome();
  let given: ServiceEndpoints;
  /** With the key of the lender's Temporal. */
  let env: Record<string, string>;
  let closedPort: number;

  beforeAll(async () => {
    given = await lender.ensure({ worker: 'external' });
    env = { ...home.settings().env, ...given.temporalVariables };
    closedPort = await chooseFreePort('closed');
  });
  afterAll(() => Promise.all([home.remove(), lender.remove()]));

  it('are used as they are, migrated, and nothing is started', async () => {
    const { databaseUrl, temporalAddress } = given;
    const endpoints = await home.ensure({ databaseUrl, temporalAddress, env, worker: 'external' }, { migrate });
    expect(endpoints).toEqual({
      ...given,
      temporalVariables: {},
      embedded: { postgres: false, temporal: false, worker: false },
    });
    expect(await query(databaseUrl, 'select count(*)::int as n from runs')).toEqual([{ n: 0 }]);
    expect(servicesStatus(home.dir)).toMatchObject({ running: false, services: [] });
  });

  it('get a worker that is told of them', async () => {
    const { databaseUrl, temporalAddress } = given;
    const endpoints = await home.ensure({ databaseUrl, temporalAddress, env }, { migrate });
    expect(endpoints.embedded).toEqual({ postgres: false, temporal: false, worker: true });
    expect(servicesStatus(home.dir).services.map((service) => service.name)).toEqual(['worker']);
    await until('the worker has shown its settings', () => home.log('worker').includes(databaseUrl));
  });

  it('must be a PostgreSQL URL', async () => {
    expect((await failure(home.ensure({ databaseUrl: 'mysql://root:hush@localhost/x' }))).message).toContain('mysql:');
    expect((await failure(home.ensure({ databaseUrl: 'hush' }))).message).toContain('not a URL');
  });

  it('say so when nobody listens at the database', async () => {
    const databaseUrl = `postgresql://bench:hush@127.0.0.1:${closedPort}/bench`;
    const { message } = await failure(home.ensure({ databaseUrl }));
    expect(message).toContain(`127.0.0.1:${closedPort}/bench`);
    expect(message).toContain('does not answer');
  });

  it('say so when password or database are wrong, without the password', async () => {
    const { temporalAddress } = given;
    const wrongPassword = new URL(given.databaseUrl);
    wrongPassword.password = 'hush';
    const refused = home.ensure(
      { databaseUrl: wrongPassword.href, temporalAddress, env, worker: 'external' },
      { migrate },
    );
    expect((await failure(refused)).message).toContain('28P01');

    const wrongDatabase = given.databaseUrl.replace(/\/bench$/, '/nothing_here');
    const absent = home.ensure({ databaseUrl: wrongDatabase, temporalAddress, env, worker: 'external' }, { migrate });
    expect((await failure(absent)).message).toMatch(/nothing_here.*does not exist/);
  });

  it('say so when no Temporal answers, or something else does', async () => {
    const temporalAddress = `127.0.0.1:${closedPort}`;
    expect((await failure(home.ensure({ temporalAddress }))).message).toContain(
      `no Temporal server answers at ${temporalAddress}`,
    );
    const { port } = new URL(given.databaseUrl);
    await failure(home.ensure({ temporalAddress: `127.0.0.1:${port}` }));
    await failure(home.ensure({ temporalAddress: 'no address at all' }));
    const mute = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => mute.once('listening', resolve));
    const address = mute.address();
    try {
      await failure(home.ensure({ temporalAddress: `127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }));
    } finally {
      mute.close();
    }
  });

  it('must have the namespace', async () => {
    const { temporalAddress } = given;
    const { message } = await failure(home.ensure({ temporalAddress, env, temporalNamespace: 'elsewhere' }));
    expect(message).toContain("has no namespace 'elsewhere'");
  });
});
