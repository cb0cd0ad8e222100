import { Writable } from 'node:stream';
import { createOutput } from '../../../cli/output.js';
import type { BatchStatusReport } from '../../../domain/views/batches.js';
import type { RunSummary } from '../../../domain/views/runs.js';

export const run = (values: Partial<RunSummary> = {}): RunSummary => ({
  runId: 'r-01m7xxn9m2n5v9m82grgkdvxf2',
  batchId: 'b-01m7xxn9kynbm30nmc5y6eddq6',
  project: 'default',
  origin: 'bench',
  model: 'scripted:optimum',
  modelKind: 'scripted',
  task: 'battleOfSexes',
  attempt: 1,
  status: 'running',
  endReason: null,
  finalEvaluation: null,
  exitStatus: null,
  detail: null,
  ending: null,
  note: null,
  tags: [],
  steps: 3,
  maxSteps: 50,
  costUsd: '0',
  primary: 'Score',
  direction: 'maximize',
  bestScore: null,
  finalScore: null,
  evaluations: 0,
  suspect: 0,
  flags: [],
  sample: false,
  profile: null,
  backend: 'docker',
  isolation: 'container',
  host: 'host-1',
  epoch: 1,
  createdAt: '2026-01-31T12:00:00.000Z',
  startedAt: '2026-01-31T12:00:00.000Z',
  endedAt: null,
  updatedAt: '2026-01-31T12:00:00.000Z',
  ...values,
});

export const report = (runList: RunSummary[], values: Partial<BatchStatusReport> = {}): BatchStatusReport => ({
  batchId: 'b-01m7xxn9kynbm30nmc5y6eddq6',
  project: 'default',
  name: null,
  origin: 'bench',
  status: 'running',
  seed: 42,
  concurrency: 8,
  priority: 3,
  training: false,
  episodes: null,
  unreachableHosts: [],
  pausedAt: null,
  archivedAt: null,
  note: null,
  tags: [],
  pauseReason: null,
  breaker: 5,
  budgetUsd: null,
  chargedUsd: '0',
  runs: runList.length,
  shards: 1,
  ended: runList.filter((one) => one.status === 'ended').length,
  steps: runList.reduce((sum, one) => sum + one.steps, 0),
  costUsd: '0',
  createdAt: '2026-01-31T12:00:00.000Z',
  startedAt: '2026-01-31T12:00:00.000Z',
  endedAt: '2026-01-31T12:00:10.000Z',
  forecast: null,
  allocation: null,
  providerErrors: [],
  blockedBy: null,
  lastStepAt: null,
  byStatus: {},
  byEndReason: {},
  replaced: 0,
  runList,
  ...values,
});

/** An output whose streams are kept as text. */
export function captured(options: { json?: boolean; tty?: boolean } = {}) {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr'): NodeJS.WriteStream => {
    const writable = new Writable({
      write(chunk: Buffer, _encoding, done) {
        texts[name] += chunk.toString();
        done();
      },
    });
    return Object.assign(writable, {
      isTTY: options.tty === true,
      columns: 100,
      rows: 10,
    }) as unknown as NodeJS.WriteStream;
  };
  const output = createOutput(options.json === true, { NO_COLOR: '1' }, stream('stdout'), stream('stderr'));
  return { output, texts };
}
