/**
 * The same commands in bench and in Inspect AI, one after the other on one machine: a provider over
 * HTTP has each run append to a file and counts the outputs that it is shown, so that both prove
 * that each command ran. bench keeps every step through a crash, and has a cost limit and a budget.
 *
 *   npm run benchmark:side-by-side -- [--cases <case>,…] [--inspect <Python with inspect-ai>]
 *
 * A case is `<openai|anthropic|scripted>:<local|docker>:<latency ms>:<runs>x<steps>[:<bytes>]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CountingProvider } from './counting-provider.js';
import { playInBench } from './side-by-side/bench-side.js';
import { type Case, nameOf, parseCase, round } from './side-by-side/case.js';
import { INSPECT, inspectPython, playInInspect } from './side-by-side/inspect-side.js';

/** The goals' cases, a run by itself, long prompts and another wire. */
const CASES = [
  ...['openai:local:0:1x50', 'openai:local:500:8x20', 'openai:local:0:64x50', 'openai:local:500:200x30'],
  ...['openai:local:0:16x30:4000', 'anthropic:local:500:8x20', 'scripted:local:0:64x50', 'scripted:local:0:64x200'],
];

const { values } = parseArgs({
  options: { cases: { type: 'string', default: CASES.join(',') }, inspect: { type: 'string' } },
});
const cases = values.cases.split(',').map(parseCase);

const folder = mkdtempSync(join(tmpdir(), 'bench-side-by-side-'));
const provider = await CountingProvider.start();
const results: Record<string, unknown>[] = [];
try {
  const python = values.inspect ?? (await inspectPython(join(folder, 'inspect')));
  for (const one of cases) {
    const result = await sideBySide(one, python);
    process.stderr.write(`${JSON.stringify(result)}\n`);
    results.push(result);
  }
} finally {
  provider.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(
  `${JSON.stringify({ benchmark: 'side-by-side', inspect: INSPECT, cores: cpus().length, loadAtEnd: loadavg()[0], results })}\n`,
);

/** Inspect's sandbox of containers needs Docker Compose: there bench is measured alone. */
async function sideBySide(one: Case, python: string): Promise<Record<string, unknown>> {
  await provider.begin(one);
  const bench = await playInBench(one, provider);
  if (one.sandbox === 'docker') return { case: nameOf(one), bench, inspect: null, ratio: null };
  await provider.begin(one);
  const inspect = await playInInspect(python, one, provider);
  const ratio = {
    stepsPerSecond: round(bench.stepsPerSecond / inspect.stepsPerSecond),
    cpuMsPerStep: round(bench.cpuMsPerStep / inspect.cpuMsPerStep),
  };
  return { case: nameOf(one), bench, inspect, ratio };
}
