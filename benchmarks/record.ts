/**
 * Runs a benchmark, stores its output with the machine, and rewrites RESULTS.md. Without a name it
 * only writes the page.
 *
 *   npm run benchmark:record -- [<name> [options of the benchmark]]
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { type BenchmarkResult, resultsPage } from './results-page.js';

/** In the sources: this file runs from dist/benchmarks/. */
const FOLDER = resolve(import.meta.dirname, '../../benchmarks');
const RESULTS = join(FOLDER, 'results');

async function record(benchmark: string, options: string[]): Promise<void> {
  const load = loadavg()[0] ?? 0;
  const { scripts } = JSON.parse(readFileSync(join(FOLDER, '../package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const script = /^node (dist\/benchmarks\/\S+)$/.exec(scripts[`benchmark:${benchmark}`] ?? '')?.[1];
  if (script === undefined || benchmark === 'record')
    throw new Error(`there is no benchmark:${benchmark} in package.json`);
  const { stdout } = await execa(process.execPath, [join(FOLDER, '..', script), ...options], { stderr: 'inherit' });
  const recorded: BenchmarkResult = {
    benchmark,
    options,
    date: new Date().toISOString().slice(0, 10),
    cores: cpus().length,
    node: process.versions.node,
    load: Math.round(load * 10) / 10,
    result: JSON.parse(stdout) as Record<string, unknown>,
  };
  writeFileSync(join(RESULTS, `${benchmark}.json`), `${JSON.stringify(recorded, null, 2)}\n`);
}

const [name, ...options] = process.argv.slice(2);
if (name !== undefined) await record(name, options);
const stored = readdirSync(RESULTS).map(
  (file) => JSON.parse(readFileSync(join(RESULTS, file), 'utf8')) as BenchmarkResult,
);
writeFileSync(join(FOLDER, 'RESULTS.md'), resultsPage(stored));
