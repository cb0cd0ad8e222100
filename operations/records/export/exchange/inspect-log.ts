import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
// yazl and yauzl stream archives of any size; npm packages mostly use this pair.
import { ZipFile } from 'yazl';
import type { LogRun } from '../../../../domain/ports/exports.js';
import type { RunDetail } from '../../../../domain/views/runs.js';
import { type ExchangedRunPorts, openExchangedRun } from './exchanged-run.js';
import {
  finalScores,
  generateConfig,
  modelName,
  runUsage,
  sampleText,
  type SamplePlace,
  type SampleSummary,
} from './inspect-sample.js';

const LOG_VERSION = 2;

/** Runs of one batch, task, agent and model. Their attempts are epochs. */
export interface LogGroup {
  name: string;
  runs: readonly LogRun[];
}

const shortId = (...parts: string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('base64url').replace(/[-_]/g, '0').slice(0, 22);

/** Groups runs into logs, named as Inspect names its own: `<time>_<task>_<id>.eval`. */
export function logGroups(runs: readonly LogRun[]): LogGroup[] {
  const groups = new Map<string, LogRun[]>();
  for (const run of runs) {
    const group = groups.get(taskIdOf(run));
    if (group === undefined) groups.set(taskIdOf(run), [run]);
    else group.push(run);
  }
  return [...groups.values()].map((unordered) => {
    const ordered = [...unordered].sort((a, b) => a.attempt - b.attempt || a.createdAt.localeCompare(b.createdAt));
    const [first] = ordered as [LogRun, ...LogRun[]];
    const time = first.createdAt.replace(/\.\d+Z$/, '+00:00').replaceAll(':', '-');
    const task = first.task.replace(/[^A-Za-z0-9.-]+/g, '-');
    return { name: `${time}_${task}_${taskIdOf(first)}.eval`, runs: ordered };
  });
}

const taskIdOf = ({ batchId, task, agent, model }: LogRun): string => shortId(batchId, task, agent, model);

/** Writes a log sample by sample; only each sample's summary stays in memory. */
export async function writeLog(ports: ExchangedRunPorts, { runs }: LogGroup, path: string): Promise<void> {
  const [only] = runs as readonly [LogRun];
  const first = await ports.queries.showRun(only.runId);
  const zip = new ZipFile();
  const broken = new Promise<never>((_, reject) => {
    zip.on('error', reject);
  });
  broken.catch(() => undefined);
  const writing = pipeline(zip.outputStream, createWriteStream(path));
  writing.catch(() => undefined);
  const mtime = new Date(first.createdAt);
  const json = (name: string, value: unknown): void =>
    zip.addBuffer(Buffer.from(JSON.stringify(value)), name, { mtime, compress: true });
  const spec = evalSpec(first, only, runs);
  const plan = {
    name: 'plan',
    steps: [{ solver: first.agent, params: {}, params_passed: {} }],
    config: generateConfig(first),
  };
  json('_journal/start.json', { version: LOG_VERSION, eval: spec, plan });
  const totals = new LogTotals();
  const work = async (): Promise<void> => {
    for (const [index, { runId }] of runs.entries()) {
      const place = { id: only.task, epoch: index + 1 };
      totals.add(...(await addSample(ports, zip, runId, place, mtime)));
    }
    json('_journal/summaries/1.json', totals.summaries);
    json('summaries.json', totals.summaries);
    json('header.json', { version: LOG_VERSION, ...totals.status(), eval: spec, plan, ...totals.results(spec) });
    zip.end();
    await writing;
  };
  await Promise.race([work(), broken, writing.then(() => new Promise<never>(() => undefined))]);
}

async function addSample(
  ports: ExchangedRunPorts,
  zip: ZipFile,
  runId: string,
  place: SamplePlace,
  mtime: Date,
): Promise<[RunDetail, SampleSummary]> {
  const exchanged = await openExchangedRun(ports, runId);
  try {
    const summary = await new Promise<SampleSummary>((resolve, reject) => {
      const text = async function* (): AsyncGenerator<string> {
        try {
          resolve(yield* sampleText(exchanged, place));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          throw error;
        }
      };
      zip.addReadStream(Readable.from(batched(text())), sampleName(place), { mtime, compress: true });
    });
    return [exchanged.run, summary];
  } finally {
    await exchanged.close();
  }
}

const sampleName = ({ id, epoch }: SamplePlace): string => `samples/${id}_epoch_${epoch}.json`;

/** Joins small texts: each would be a write of its own. */
async function* batched(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let held = '';
  for await (const text of texts) {
    held += text;
    if (held.length < 64 * 1024) continue;
    yield Buffer.from(held);
    held = '';
  }
  yield Buffer.from(held);
}

function evalSpec(run: RunDetail, group: LogRun, runs: readonly LogRun[]) {
  return {
    ...{ eval_id: shortId('eval', taskIdOf(group)), run_id: group.batchId, created: run.createdAt },
    ...{ task: group.task, task_id: taskIdOf(group), task_version: run.contract, task_display_name: group.task },
    solver: run.agent,
    dataset: { name: group.task, samples: 1, sample_ids: [group.task], shuffled: false },
    ...{ model: modelName(run), model_generate_config: generateConfig(run) },
    config: { epochs: runs.length },
    packages: { bench: run.harnessVersion },
    metadata: {
      bench: {
        ...{ batch_id: group.batchId, model: group.model, agent_hash: run.agentHash, task_hash: run.taskHash },
        ...{ primary: run.primary, direction: run.direction },
      },
    },
    scorers: [] as { name: string; metrics: { name: string }[] }[],
  };
}

/** Totals of all samples, for the header. */
class LogTotals {
  readonly summaries: SampleSummary[] = [];
  readonly #values = new Map<string, number[]>();
  readonly #usage = new Map<string, Record<string, number>>();
  #open = 0;
  #cancelled = 0;
  #started = '';
  #ended = '';

  add(run: RunDetail, summary: SampleSummary): void {
    this.summaries.push(summary);
    for (const [name, score] of Object.entries(finalScores(run)) as [string, { value: number }][])
      this.#values.set(name, [...(this.#values.get(name) ?? []), score.value]);
    const usage = this.#usage.get(modelName(run)) ?? {};
    for (const [key, value] of Object.entries(runUsage(run)) as [string, number][])
      usage[key] = (usage[key] ?? 0) + value;
    this.#usage.set(modelName(run), usage);
    if (run.status !== 'ended') this.#open += 1;
    if (run.endReason === 'cancelled') this.#cancelled += 1;
    const [started, ended] = [run.startedAt ?? run.createdAt, run.endedAt ?? run.updatedAt];
    if (this.#started === '' || started < this.#started) this.#started = started;
    if (ended > this.#ended) this.#ended = ended;
  }

  status(): { status: string } {
    if (this.#open > 0) return { status: 'started' };
    return { status: this.#cancelled > 0 && this.#cancelled === this.summaries.length ? 'cancelled' : 'success' };
  }

  results(spec: { scorers: { name: string; metrics: { name: string }[] }[] }) {
    const names = [...this.#values.keys()];
    spec.scorers.push(...names.map((name) => ({ name, metrics: [{ name: 'mean' }] })));
    return {
      results: {
        ...{ total_samples: this.summaries.length, completed_samples: this.summaries.length - this.#open },
        scores: names.map((name) => {
          const values = this.#values.get(name) ?? [];
          const value = values.reduce((sum, one) => sum + one, 0) / values.length;
          return {
            ...{ name, scorer: name, scored_samples: values.length },
            ...{ unscored_samples: this.summaries.length - values.length, params: {} },
            metrics: { mean: { name: 'mean', value, params: {} } },
          };
        }),
      },
      stats: {
        ...{ started_at: this.#started, completed_at: this.#ended },
        model_usage: Object.fromEntries(this.#usage),
      },
    };
  }
}
