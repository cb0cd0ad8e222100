import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { execa } from 'execa';
import { Connection } from '@temporalio/client';
import { findTemporalForTests } from './find-temporal.js';

export interface TemporalFixture {
  address: string;
  stop(): Promise<void>;
}

/** A throw-away Temporal dev server. */
export async function startTemporal(): Promise<TemporalFixture> {
  const executable = await findTemporalForTests();
  const dir = mkdtempSync(join(tmpdir(), 'bench-temporal-'));
  const port = await getPort({ host: '127.0.0.1' });
  const args = [
    'server',
    'start-dev',
    '--headless',
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--log-level',
    'error',
  ];
  const server = execa(executable, [...args, '--db-filename', join(dir, 't.db')], { reject: false, stdio: 'ignore' });
  const address = `127.0.0.1:${port}`;
  for (let attempt = 0; ; attempt++) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 1000 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      await connection.close();
      break;
    } catch (error) {
      if (attempt > 60) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
  return {
    address,
    async stop() {
      server.kill('SIGKILL');
      await server;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
