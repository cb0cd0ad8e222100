import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';
import { execa } from 'execa';
import { Connection } from '@temporalio/client';
import { temporalArguments } from '../../services/temporal-server.js';
import { findTemporalForTests } from './find-temporal.js';

export interface TemporalFixture {
  address: string;
  stop(): Promise<void>;
}

/** A throw-away Temporal server, with the arguments that a home starts it with. */
export async function startTemporal(): Promise<TemporalFixture> {
  const executable = await findTemporalForTests();
  const dir = mkdtempSync(join(tmpdir(), 'bench-temporal-'));
  const port = await getPort({ host: '127.0.0.1' });
  const args = temporalArguments({ databaseFile: join(dir, 'temporal.db'), port, namespace: 'default' });
  const server = execa(executable, args, { reject: false, stdio: 'ignore' });
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
