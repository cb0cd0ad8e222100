import type { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { answerListener, checkSchema, type Database, openDatabase, openPulse, readInstallation } from '../db/index.js';
import type { TemporalNamespace } from '../domain/ports/record/hosts.js';
import { createRateGovernor } from '../models/rate-governor.js';
import type { WorkerSettings } from '../operations/home/worker-settings.js';
import { connectWorker } from '../temporal/connect-worker.js';
import { claimNamespace, namespaceOf, refuseSecondNamespace } from '../temporal/namespace-owner.js';
import type { Patiently } from './start-retries.js';

export interface Services {
  database: Database;
  answers: ReturnType<typeof answerListener>;
  governor: ReturnType<typeof createRateGovernor>;
  pulse: ReturnType<typeof openPulse>;
  connection: NativeConnection;
  client: Client;
  namespace: ClaimedNamespace;
  close(): Promise<void>;
}

interface ClaimedNamespace {
  readonly seen: TemporalNamespace;
  /** Throws BenchError (usage) if it belongs to another installation now. */
  claimAgain(): Promise<void>;
}

export async function openServices(settings: WorkerSettings, homeId: string, patiently: Patiently): Promise<Services> {
  const { databaseUrl } = settings;
  await patiently(() => checkSchema(databaseUrl));
  const database = openDatabase(databaseUrl, { max: settings.databasePool });
  const answers = answerListener(databaseUrl);
  const governor = createRateGovernor(database.rates);
  const pulse = openPulse(databaseUrl);
  const { connection, client } = await patiently(() => connectWorker(settings));
  const namespace = await claimedNamespace(client, settings, homeId, patiently);
  return {
    ...{ database, answers, governor, pulse, connection, client, namespace },
    async close() {
      await connection.close();
      await governor.flush();
      await answers.close();
      await pulse.close();
      await database.close();
    },
  };
}

async function claimedNamespace(
  client: Client,
  { databaseUrl, hostname, temporalAddress }: WorkerSettings,
  homeId: string,
  patiently: Patiently,
): Promise<ClaimedNamespace> {
  const installation = await patiently(() => readInstallation(databaseUrl));
  // The parent of this worker has already claimed the embedded server's namespace.
  const claim = { installation, machine: hostname, temporalAddress, ownServer: false };
  let seen = await patiently(() => namespaceOf(client, temporalAddress));
  refuseSecondNamespace(installation, seen, homeId);
  await patiently(() => claimNamespace(client, claim));
  return {
    get seen() {
      return seen;
    },
    async claimAgain() {
      seen = await namespaceOf(client, temporalAddress);
      await claimNamespace(client, claim);
    },
  };
}
