import { afterAll, beforeAll, expect, test } from 'vitest';
import { engineAddress } from '../../backends/docker/engine-address.js';
import { BenchHome } from '../setup/bench-home.js';
import { type EngineGate, openEngineGate } from '../setup/engine-gate.js';
import { EnvServer } from '../setup/env-server.js';
import { LONG } from '../setup/long.js';

const SUBMIT = ['submit', '--models', 'scripted:baseline', '--tasks', 'battleOfSexes', '--backend', 'docker'];
const ENGINE = engineAddress('docker', process.env).socketPath ?? '/var/run/docker.sock';

let gate: EngineGate;
let home: BenchHome;
beforeAll(async () => {
  gate = await openEngineGate(ENGINE);
  home = new BenchHome({ DOCKER_HOST: gate.url });
});
afterAll(async () => {
  await home.remove();
  await gate.close();
});

/** The engine goes away, and the worker has found it so. */
async function away(): Promise<void> {
  gate.shut();
  const offering = async () =>
    (await home.sql<{ hosts: number }>(`select count(*)::int as hosts from hosts where backends ? 'docker'`))[0]?.hosts;
  await expect.poll(offering, { timeout: 120_000, interval: 50 }).toBe(0);
}

test('a batch waits for an engine that has just come back: the worker is given time to find it', async () => {
  await home.run('up');
  await away();
  gate.open();
  const { exitCode, stderr } = await home.run(...SUBMIT, '--wait');
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
});

test.runIf(LONG)('an environment waits for an engine that has just come back', async () => {
  await away();
  gate.open();
  const server = new EnvServer(home, ['--backend', 'docker', '--tasks', 'battleOfSexes']);
  await server.start();
  await server.stop();
});
