import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { stringify } from 'yaml';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import type { CountingProvider } from '../counting-provider.js';
import { CpuByPart } from '../cpu-by-part.js';
import { lightConfigs } from '../light-configs.js';
import { MachineUse } from '../machine-use.js';
import { peakMemoryMb } from '../process-memory.js';
import { ThrowawayHome } from '../throwaway-home.js';
import { type Case, round, type SideFigures } from './case.js';

const CONFIGS = resolve(import.meta.dirname, '../../../configs');

export interface BenchFigures extends SideFigures {
  cpuMsPerStepByPart: Record<string, number>;
  workerPeakMb: number | null;
  /** Medians over the runs, milliseconds. */
  submitToFirstCommandMs: number;
  lastCommandToEndMs: number;
}

function modelFile(model: 'openai' | 'anthropic', url: string): string {
  return stringify({
    schema: 1,
    ...{ description: 'of a benchmark', provider: model === 'openai' ? 'openai-compatible' : 'anthropic' },
    ...{ model: 'counting', baseUrl: model === 'openai' ? `${url}/v1` : url, apiKeyVariable: 'COUNTING_API_KEY' },
    ...{ contextWindow: 1_000_000, maxOutputTokens: 4096, sampling: { maxOutputTokens: 4096 } },
    prices: [{ from: '2024-01-01', input: 1, output: 4 }],
  });
}

/** With a cost limit and a budget, as users have them. Throws unless every command ran. */
export async function playInBench(wanted: Case, provider: CountingProvider): Promise<BenchFigures> {
  const home = new ThrowawayHome('side-by-side', { BENCH_SLOTS: String(wanted.runs), COUNTING_API_KEY: 'none' });
  try {
    home.env['BENCH_CONFIGS'] = lightConfigs(CONFIGS, join(home.dir, 'configs'), 1);
    for (const model of ['openai', 'anthropic'] as const)
      writeFileSync(join(home.dir, `configs/models/counting-${model}.yaml`), modelFile(model, provider.url));
    const endpoints = await home.bench<ServiceEndpoints>('up');
    const database = new pg.Client({ connectionString: endpoints.databaseUrl });
    await database.connect();
    try {
      return await measure(wanted, { provider, home, database });
    } finally {
      await database.end();
    }
  } finally {
    await home.remove();
  }
}

async function measure(
  { model, sandbox, runs, steps }: Case,
  { provider, home, database }: { provider: CountingProvider; home: ThrowawayHome; database: pg.Client },
): Promise<BenchFigures> {
  const scripted = model === 'scripted';
  const [cpu, use, providerMs] = [new CpuByPart(home), new MachineUse(), provider.cpuMs()];
  const { batchId } = await home.bench<{ batchId: string }>(
    ...['submit', '--models', scripted ? `scripted:counter:${steps}` : `counting-${model}`],
    ...['--tasks', 'battleOfSexes', '--backend', sandbox, '--attempts', String(runs), '--concurrency', String(runs)],
    ...['--max-steps', String(steps + 1), '--snapshot-every', '0', '--cost-limit', '1000', '--budget', '1000000'],
    '--wait',
  );
  const { cpuMs, memoryMb } = use.stop();
  const parts = cpu.stop();
  const found = await figuresOf(database, batchId);
  const done = scripted ? found.counted : (await provider.figures()).proved;
  if (found.submitted !== runs || done !== runs * steps)
    throw new Error(`bench: ${found.submitted} of ${runs} runs, ${done} of ${runs * steps} commands`);
  const perStep = (ms: number): number => round(ms / (runs * steps));
  return {
    ...{ seconds: round(found.seconds), stepsPerSecond: round((runs * steps) / found.seconds) },
    ...{ cpuMsPerStep: perStep(cpuMs - (provider.cpuMs() - providerMs)), memoryMb: Math.round(memoryMb) },
    overheadMs: scripted ? null : (await provider.figures()).overheadMs,
    cpuMsPerStepByPart: Object.fromEntries(Object.entries(parts).map(([part, ms]) => [part, perStep(ms)])),
    workerPeakMb: peakMemoryMb(home.pid('worker')),
    ...{ submitToFirstCommandMs: round(found.firstMs), lastCommandToEndMs: round(found.endMs) },
  };
}

interface Found {
  submitted: number;
  counted: number;
  seconds: number;
  firstMs: number;
  endMs: number;
}

async function figuresOf(database: pg.Client, batchId: string): Promise<Found> {
  const { rows } = await database.query<Found>(
    `with ends as (
       select r.run_id, r.ended_at, b.created_at, min(s.executed_at) as first, max(s.executed_at) as last
       from runs r join batches b using (batch_id) left join steps s using (run_id)
       where r.batch_id = $1 group by 1, 2, 3)
     select
       (select count(*)::int from runs where batch_id = $1 and end_reason = 'submit') as submitted,
       (select count(*)::int from steps join runs using (run_id)
        where batch_id = $1 and observation ~ ('^' || steps.step || '\\s*$')) as counted,
       extract(epoch from max(ended_at) - min(created_at))::float8 as seconds,
       (percentile_cont(0.5) within group (order by extract(epoch from first - created_at)) * 1000)::float8 as "firstMs",
       (percentile_cont(0.5) within group (order by extract(epoch from ended_at - last)) * 1000)::float8 as "endMs"
     from ends`,
    [batchId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no batch ${batchId}`);
  return row;
}
