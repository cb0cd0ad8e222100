/**
 * The platform's own time per step, by part, at 1 and at 16 concurrent runs.
 *
 *   npm run benchmark:step-overhead -- [--steps 50] [--backend docker|local]
 */
import { parseArgs } from 'node:util';
import type { ServiceEndpoints } from '../domain/home/services.js';
import { openDatabase } from '../db/index.js';
import { quantile } from '../domain/statistics/quantile.js';
import { stepParts, STEP_PARTS, type StepParts } from './step-parts.js';
import { ThrowawayHome } from './throwaway-home.js';

const { values } = parseArgs({
  options: { steps: { type: 'string', default: '50' }, backend: { type: 'string', default: '' } },
});
const steps = Number(values.steps);
const home = new ThrowawayHome('overhead');

/** Submits runs at once, waits for them, and splits each step's time. */
async function measure(endpoints: ServiceEndpoints, runs: number): Promise<StepParts[]> {
  const backend = values.backend === '' ? [] : ['--backend', values.backend];
  const batch = await home.bench<{ batchId: string; runs: { runId: string }[] }>(
    ...['submit', '--models', `scripted:counter:${steps}`, '--tasks', 'battleOfSexes', '--attempts', String(runs)],
    ...['--concurrency', String(runs), '--max-steps', String(steps + 1), ...backend, '--wait'],
  );
  const database = openDatabase(endpoints.databaseUrl);
  const parts: StepParts[] = [];
  for (const { runId } of batch.runs) parts.push(...(await stepParts(database.pool, runId)));
  await database.close();
  return parts;
}

try {
  const endpoints = await home.bench<ServiceEndpoints>('up');
  await measure(endpoints, 1); // warm up: images, sticky caches
  const results = [];
  for (const concurrent of [1, 16]) {
    const parts = await measure(endpoints, concurrent);
    const row = Object.fromEntries(
      STEP_PARTS.map((part) => {
        const times = parts.map((step) => step[part]);
        return [part, { p50: quantile(times, 0.5), p95: quantile(times, 0.95) }];
      }),
    );
    process.stderr.write(
      `\n${concurrent} concurrent run(s), ${parts.length} steps, milliseconds of the platform's own time per step\n`,
    );
    for (const part of STEP_PARTS) {
      const cell = row[part];
      if (cell !== undefined)
        process.stderr.write(
          `  ${part.padEnd(22)} p50 ${cell.p50.toFixed(1).padStart(8)}   p95 ${cell.p95.toFixed(1).padStart(8)}\n`,
        );
    }
    results.push({ concurrent, steps: parts.length, ms: row });
  }
  process.stdout.write(`${JSON.stringify({ benchmark: 'step-overhead', results })}\n`);
} finally {
  await home.remove();
}
