import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { RunDetail } from '../../domain/views/runs.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';

const ROOT = resolve(import.meta.dirname, '../..');

/** Known scores of the starter: validation, test. Equal to its task's baseline, if known. */
const ACCURACY = { validation: 0.54, test: 0.56, baseline: 0.5 };
const LOSS = { validation: 2.74668, test: 2.802428, baseline: 2.802428 };

interface Batch {
  batchId: string;
  status: string;
  runs: { runId: string; model: string; task: string }[];
}

let home: BenchHome;
beforeAll(() => {
  home = new BenchHome();
  const configs = join(home.dir, 'configs');
  cpSync(join(ROOT, 'configs'), configs, { recursive: true });
  cpSync(join(ROOT, 'test', 'fixtures', 'tasks'), join(configs, 'tasks'), { recursive: true });
  home.env['BENCH_CONFIGS'] = configs;
});
afterAll(() => home.remove());

describe('tasks of data, programs, questions and language models', () => {
  it.each(['csvClassification', 'programPredict', 'satHeuristic', 'charLm'])('%s is valid and listed', async (task) => {
    const file = join(home.dir, 'configs', 'tasks', task, 'task.yaml');
    expect(await home.json('validate-config', file)).toMatchObject({ valid: true });
    expect(await home.json('tasks', 'show', task)).toMatchObject({ id: task });
  });

  it('are valid together with everything else', async () => {
    expect(await home.json('validate-config')).toMatchObject({ valid: true });
  });
});

describe('runs of tasks with a hidden test split', () => {
  let batch: Batch;
  const runOf = (model: string, task: string): string =>
    batch.runs.find((run) => run.model === `scripted:${model}` && run.task === task)?.runId ?? '';
  const steps = async (runId: string): Promise<TrajectoryStep[]> =>
    (await home.json<{ steps: TrajectoryStep[] }>('trajectory', runId)).steps;

  beforeAll(async () => {
    batch = await home.json<Batch>(
      'submit',
      ...['--models', 'scripted:optimum,scripted:baseline', '--tasks', 'csvClassification,charLm,satHeuristic'],
      ...['--attempts', '1', '--backend', 'docker', '--concurrency', '2', '--wait'],
    );
    expect(batch).toMatchObject({ status: 'ended' });
  });

  it.each([
    ['csvClassification', 'accuracy = 0.54 (higher is better)', ACCURACY],
    ['charLm', 'val_loss = 2.7466802 (lower is better)', LOSS],
  ])('show the agent of %s its validation scores and nothing of the test', async (task, line, scores) => {
    const seen = (await steps(runOf('optimum', task))).map(({ observation }) => observation ?? '');
    const validated = seen.filter((observation) => observation.includes('[evaluation]'));
    expect(validated.length).toBeGreaterThanOrEqual(2);
    for (const observation of validated.slice(0, 2)) {
      expect(observation).toContain(line);
      expect(observation).toContain('The ranking uses a hidden test split.');
    }
    const tested = `= ${String(scores.test).slice(0, 4)}`;
    for (const observation of seen) expect(observation).not.toContain(tested);
  });

  it.each([
    ['csvClassification', ACCURACY],
    ['charLm', LOSS],
  ])('are shown with both splits of %s, and scored by the test', async (task, scores) => {
    const runId = runOf('optimum', task);
    const shown = await home.json<RunDetail>('show', runId);
    expect(shown).toMatchObject({
      status: 'ended',
      endReason: 'submit',
      finalEvaluation: 'ok',
      bestScore: expect.closeTo(scores.baseline, 5) as number,
      finalScore: expect.closeTo(scores.baseline, 5) as number,
    });
    expect(shown.evaluationList.map(({ kind, split }) => [kind, split])).toEqual([
      ['validate', 'validation'],
      ['validate', 'test'],
      ['validate', 'validation'],
      ['validate', 'test'],
      ['submit', 'validation'],
      ['submit', 'test'],
    ]);
    for (const { split, primary } of shown.evaluationList) expect(primary).toBeCloseTo(scores[split], 5);
    const { stdout, exitCode } = await home.run('show', runId);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/validate\s+validation/);
    expect(stdout).toMatch(/submit\s+test/);
  });

  it('are ranked by the test', async () => {
    const board = await home.json<Leaderboard>('leaderboard', '--batch', batch.batchId, '--include', 'scripted');
    expect(board.rows).toHaveLength(2);
    for (const { model, scores } of board.rows) {
      const score = model === 'scripted:baseline' ? ACCURACY.test : ACCURACY.baseline;
      expect(scores['csvClassification']).toMatchObject({ best: score, last: score });
      expect(scores['charLm']?.best).toBeCloseTo(LOSS.test, 5);
      expect(scores['satHeuristic']?.best).toBeGreaterThan(300);
    }
  });

  it('of a task without splits have one row each', async () => {
    const { evaluationList } = await home.json<RunDetail>('show', runOf('baseline', 'satHeuristic'));
    expect(evaluationList).toMatchObject([{ kind: 'submit', split: 'test', status: 'ok', metrics: { incorrect: 0 } }]);
  });
});
