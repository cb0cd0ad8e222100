import { createServer } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { doctorChecks } from '../../../operations/home/doctor.js';
import { findAssetsRoot, readSettings } from '../../../operations/settings.js';

/** PostgreSQL's answer to a client that it knows: a request for the password. */
const ASKS_FOR_PASSWORD = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);

/** What doctor says of a server that loses the first connections. */
async function checked(lost: number): Promise<{ status: string | undefined; connections: number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    if (connections <= lost) socket.destroy();
    else socket.on('data', () => socket.end(ASKS_FOR_PASSWORD));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const home = mkdtempSync(join(tmpdir(), 'bench-unit-doctor-'));
  try {
    const { port } = server.address() as { port: number };
    const env = { BENCH_HOME: home, DATABASE_URL: `postgresql://u:p@127.0.0.1:${port}/d` };
    const checks = await doctorChecks(readSettings(env, home, findAssetsRoot()), home);
    return { status: checks.find(({ name }) => name === 'postgres')?.status, connections };
  } finally {
    server.close();
    rmSync(home, { recursive: true, force: true });
  }
}

it('doctor calls PostgreSQL down only after it has tried more than once', async () => {
  expect(await checked(1)).toEqual({ status: 'ok', connections: 2 });
  const { status, connections } = await checked(Infinity);
  expect(status).toBe('fail');
  expect(connections).toBeGreaterThan(1);
});
