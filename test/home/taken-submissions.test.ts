import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { homeLayout } from '../../domain/home/layout.js';
import { BenchHome } from '../setup/bench-home.js';
import type { RunDetail } from '../../domain/views/runs.js';

/** Waits for its gate; a process outlives its command, and breaks the submission on a signal. */
const SPOILER =
  'until [ -e begin ]; do sleep 0.05; done; (until [ -e go ]; do sleep 0.05; done; echo broken > strategy.py; touch done) > /dev/null 2>&1 &';

let home: BenchHome;
let keeper: pg.Client;
beforeAll(async () => {
  home = new BenchHome();
  const { databaseUrl } = await home.json<{ databaseUrl: string }>('up');
  keeper = new pg.Client(databaseUrl);
  await keeper.connect();
  // The starter is known from now on: no more writes to evaluations, which the tests lock.
  const runId = await submit('starter', ['submit']);
  await ended(runId);
});
afterAll(async () => {
  await keeper?.end();
  await home.remove();
});

async function submit(name: string, actions: string[]): Promise<string> {
  const recording = join(home.dir, 'recordings', `${name}.json`);
  mkdirSync(dirname(recording), { recursive: true });
  const steps = actions.map((action, i) => ({ step: i + 1, response: action, thought: '', action, observation: '' }));
  writeFileSync(recording, JSON.stringify({ steps }));
  const matrix = [
    '--models',
    `replay:${recording}`,
    '--tasks',
    'battleOfSexes',
    '--attempts',
    '1',
    '--backend',
    'local',
  ];
  const limit = ['--max-steps', String(actions.length)];
  const { runs } = await home.json<{ runs: { runId: string }[] }>('submit', ...matrix, ...limit);
  return runs[0]?.runId ?? '';
}

const until = (what: string, holds: () => Promise<boolean> | boolean) =>
  vi.waitFor(
    async () => {
      if (!(await holds())) throw new Error(`not yet: ${what}`);
    },
    { timeout: 300_000, interval: 100 },
  );

const ended = (runId: string) =>
  until('the end', async () => {
    const rows = await home.sql(`select from runs where run_id = $1 and status = 'ended'`, [runId]);
    return rows.length === 1;
  });

/** Let the spoiler act after the submission was taken and before its evaluation begins. */
async function spoiltMeanwhile(kind: string, actions: string[]): Promise<RunDetail> {
  const runId = await submit(kind, actions);
  await until('started', async () => {
    const started = await home.sql(`select from runs where run_id = $1 and status = 'running'`, [runId]);
    return started.length === 1;
  });
  const { control } = homeLayout(home.dir).run(runId, 1);
  const { workspace } = JSON.parse(readFileSync(join(control, 'place.json'), 'utf8')) as { workspace: string };
  // As if the evaluation waited for its place, or had to be put again.
  await keeper.query('begin; lock table evaluations in access exclusive mode');
  try {
    writeFileSync(join(workspace, 'begin'), '');
    await until('taken', async () => {
      const taken = await home.sql('select from submissions where run_id = $1 and kind = $2', [runId, kind]);
      return taken.length === 1;
    });
    writeFileSync(join(workspace, 'go'), '');
    await until('spoilt', () => existsSync(join(workspace, 'done')));
  } finally {
    await keeper.query('rollback');
  }
  await ended(runId);
  return await home.json<RunDetail>('show', runId);
}

it('a validate is of the files as they were when it was said', async () => {
  const { evaluationList } = await spoiltMeanwhile('validate', [SPOILER, 'validate', 'submit']);
  expect(evaluationList).toMatchObject([
    { kind: 'validate', status: 'ok' },
    { kind: 'submit', status: 'rejected' },
  ]);
  const [validated, submitted] = evaluationList.map(({ submissionSha256 }) => submissionSha256);
  expect(validated).not.toBe(submitted);
});

it('a submit is of the files as they were when it was said', async () => {
  expect(await spoiltMeanwhile('submit', [SPOILER, 'submit'])).toMatchObject({
    endReason: 'submit',
    evaluationList: [{ kind: 'submit', status: 'ok' }],
  });
});

it('a forced end is of the files as they were when the steps had been used', async () => {
  expect(await spoiltMeanwhile('forced', [SPOILER, 'true'])).toMatchObject({
    endReason: 'max_steps',
    evaluationList: [{ kind: 'forced', status: 'ok' }],
  });
});
