import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../db/index.js';
import { isInfrastructureProblem } from '../../db/database-error.js';
import { BenchError, InfrastructureError } from '../../domain/errors.js';

/**
 * A process that reads and writes as a worker does: `node store-traffic.js <JSON>`, with retries.
 * Prints a line per piece of work; ends with stdin, and then prints what it wrote.
 */
interface Settings {
  databaseUrl: string;
  runIds: string[];
}

const { databaseUrl, runIds } = JSON.parse(process.argv[2] ?? '') as Settings;
const database = openDatabase(databaseUrl, { max: runIds.length });
let over = false;
process.stdin.once('end', () => (over = true)).resume();

let lost = 0;
async function untilDone(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      const mayPass =
        error instanceof InfrastructureError ||
        (error instanceof BenchError && error.type === 'services') ||
        isInfrastructureProblem(error);
      if (!mayPass) throw error;
      lost += 1;
      await pause(5);
    }
  }
}

const action = (step: number) => ({ response: `step ${step}`, thought: '', action: 'ls', modelMs: 1 });

async function player(runId: string): Promise<[string, number]> {
  let step = 0;
  const ticket = (number: number) => ({
    ...{ ticket: `${runId}/${number}`, batchId: 'b', tokens: 1 },
    declared: { requests: null, tokens: null },
  });
  while (!over) {
    step += 1;
    await untilDone(() => database.store.saveAction(runId, step, action(step)));
    // A transaction of several statements.
    await untilDone(() =>
      database.rates.exchange(
        {
          ...{ account: runId, provider: 'openai', arrivals: [ticket(step)], attending: [`${runId}/${step}`] },
          parked: [],
          reports: [{ ticket: `${runId}/${step - 1}`, kind: 'settled', tokens: 1 }],
        },
        60_000,
      ),
    );
    // A connection that is checked out, and has no query under way while the reader is slow.
    await untilDone(async () => {
      for await (const _part of database.exports.line(runId)) await pause(1);
    });
    process.stdout.write('done\n');
  }
  return [runId, step];
}

const steps = Object.fromEntries(await Promise.all(runIds.map(player)));
await database.close();
process.stdout.write(`${JSON.stringify({ steps, lost })}\n`);
