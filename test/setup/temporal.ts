import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { chooseFreePort } from '../../services/index.js';
import { temporalArguments } from '../../services/temporal-server.js';
import { findTemporalForTests } from './find-temporal.js';
import { startTemporalServer, wantsTemporalServer } from './temporal-server.js';

const START_MS = 180_000;

export interface TemporalFixture {
  address: string;
  stop(): Promise<void>;
}

/** A throw-away development server with a home's arguments; for others see wantsTemporalServer. */
export async function startTemporal(ip = '127.0.0.1'): Promise<TemporalFixture> {
  if (wantsTemporalServer()) return startTemporalServer(ip);
  const executable = await findTemporalForTests();
  const dir = mkdtempSync(join(tmpdir(), 'bench-temporal-'));
  // A port that systems do not assign meanwhile.
  const port = await chooseFreePort(dir);
  const database = { databaseFile: join(dir, 'temporal.db'), port, namespace: 'default' };
  const args = temporalArguments(database).map((arg) => (arg === '127.0.0.1' && arg !== ip ? '0.0.0.0' : arg));
  // As on a full disk: its own log must not end it.
  const output = existsSync('/dev/full') ? openSync('/dev/full', 'w') : null;
  const log = output ?? 'ignore';
  const server = spawn(executable, args, { stdio: ['ignore', log, log] });
  const ended = new Promise((resolve) => server.once('close', resolve));
  if (output !== null) closeSync(output);
  const address = `${ip}:${port}`;
  const deadline = Date.now() + START_MS;
  for (;;) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 5000 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      await connection.close();
      break;
    } catch (error) {
      if (Date.now() > deadline || server.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
  return {
    address,
    async stop() {
      server.kill('SIGKILL');
      await ended;
      rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}
