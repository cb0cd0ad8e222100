import type pg from 'pg';
import type { Client } from '@temporalio/client';
import { runWorkflowId } from '../../domain/run/queues.js';
import { CpuByPart } from '../cpu-by-part.js';
import { forgetPeak, peakMemoryMb } from '../process-memory.js';
import type { ThrowawayHome } from '../throwaway-home.js';
import type { Hosts } from './hosts.js';
import { batchFigures, round, type BatchFigures } from './batch-figures.js';

export interface ConcurrencyFigures extends BatchFigures {
  backend: string;
  model: string;
  concurrent: number;
  /** Of the worker during the batch, MiB; null: unknown here. */
  workerPeakMb: number | null;
  /** CPU milliseconds per step, by part and in total. Sandboxes: of the local backend only. */
  cpuMsPerStep: Record<string, number>;
  transactionsPerStep: number;
  /** Growth of its tables and indexes per step, KiB. */
  databaseKbPerStep: number;
  historyEvents: number;
}

interface Wanted {
  backend: string;
  concurrent: number;
  steps: number;
  model?: string;
}

/** Concurrent runs, each of `steps` trivial commands. */
export async function measureConcurrency(
  { home, database, temporal, hosts }: { home: ThrowawayHome; database: pg.Client; temporal: Client; hosts?: Hosts },
  { backend, concurrent, steps, model = `scripted:counter:${steps}` }: Wanted,
): Promise<ConcurrencyFigures> {
  forgetPeak(home.pid('worker'));
  const cpu = new CpuByPart(home);
  const [transactions, kb] = [await committed(database), await sizeKb(database)];
  const hostsBefore = hosts?.cpuMs() ?? 0;
  const { batchId, runs } = await home.bench<{ batchId: string; runs: { runId: string }[] }>(
    ...['submit', '--models', model, '--tasks', 'battleOfSexes', '--backend', backend],
    ...['--attempts', String(concurrent), '--concurrency', String(concurrent), '--max-steps', String(steps + 1)],
    ...['--snapshot-every', '0', '--wait'],
  );
  const cpuMs = { ...cpu.stop(), ...(hosts !== undefined && { hosts: hosts.cpuMs() - hostsBefore }) };
  const workerPeakMb = peakMemoryMb(home.pid('worker'));
  const figures = await batchFigures(database, batchId);
  const perStep = (all: number): number => round(all / figures.steps);
  const total = Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0);
  const cpuMsPerStep = Object.fromEntries(
    Object.entries({ ...cpuMs, total }).map(([part, ms]) => [part, perStep(ms)] as const),
  );
  const transactionsPerStep = perStep((await committed(database)) - transactions);
  const databaseKbPerStep = perStep((await sizeKb(database)) - kb);
  const historyEvents = await eventsOf(temporal, runs[0]?.runId ?? '');
  return {
    ...{
      backend,
      model,
      concurrent,
      workerPeakMb,
      cpuMsPerStep,
      transactionsPerStep,
      databaseKbPerStep,
      historyEvents,
    },
    ...figures,
  };
}

async function committed(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ n: number }>(
    'select xact_commit::float8 as n from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.n ?? NaN;
}

async function sizeKb(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ kb: number }>(
    'select pg_database_size(current_database())::float8 / 1024 as kb',
  );
  return rows[0]?.kb ?? NaN;
}

async function eventsOf(temporal: Client, runId: string): Promise<number> {
  const histories = await Promise.all(
    [runWorkflowId(runId)].map((id) => temporal.workflow.getHandle(id).fetchHistory()),
  );
  return histories.reduce((sum, { events }) => sum + (events?.length ?? 0), 0);
}
