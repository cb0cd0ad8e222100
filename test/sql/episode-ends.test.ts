import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { type EpisodeOutcome } from '../../domain/episodes/action-outcome.js';
import { newBatchId, newRunId } from '../../domain/ids.js';
import type { EndReason, FinalEvaluation } from '../../domain/run/outcomes.js';
import { rewardRequest, type RewardInput } from '../../domain/requests/reward.js';
import type { EvaluationKind, EvaluationStatus } from '../../domain/run/run.js';
import type { Split, TaskSpec } from '../../domain/task/task.js';
import { lateEnding } from '../../operations/episodes/late-ending.js';
import { settledOutcome } from '../../operations/episodes/outcome.js';
import { run, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(() => db.close());

const BASELINE = 2;
let tasks = 0;

interface Evaluated {
  kind: EvaluationKind;
  score: number | Exclude<EvaluationStatus, 'ok'>;
  split?: Split;
}

/** An episode that is played row by row, as its worker would write them. */
class Played {
  seq = 0;
  step = 0;
  #evaluations = 0;
  constructor(readonly runId: string) {}

  async act(command: string): Promise<number> {
    this.seq += 1;
    this.step += 1;
    await db.episodes.take({
      ...{ runId: this.runId, seq: this.seq, action: { command }, reply: command, policyVersion: null },
    });
    await db.pool.query(
      `insert into steps (run_id, step, response, thought, action, observation, exit_code) values ($1, $2, '', '', $3, 'out', 0)`,
      [this.runId, this.step, command],
    );
    return this.seq;
  }

  /** A reply that could not be used: the same step is asked again. */
  async refuse(): Promise<EpisodeOutcome> {
    this.seq += 1;
    const action = { malformed: 'x' };
    await db.episodes.take({ runId: this.runId, seq: this.seq, action, reply: 'x', policyVersion: null });
    return this.asked(this.step + 1, 1);
  }

  async evaluated({ kind, score, split = 'test' }: Evaluated, step = this.step): Promise<void> {
    await db.pool.query(
      `insert into evaluations (run_id, step, kind, split, number, status, primary_score, evaluator_version, contract)
       values ($1, $2, $3, $4, $5, $6, $7, 'v', 1)`,
      [
        ...[this.runId, step, kind, split, split === 'test' ? ++this.#evaluations : this.#evaluations],
        ...[typeof score === 'number' ? 'ok' : score, typeof score === 'number' ? score : null],
      ],
    );
  }

  /** The policy is asked again: the outcome of its last action. */
  async asked(step = this.step + 1, nth = 0): Promise<EpisodeOutcome> {
    await db.pool.query(
      `insert into turns (run_id, step, try, messages) values ($1, $2, $3, '[{"role": "user", "content": "next"}]')`,
      [this.runId, step, nth],
    );
    return this.outcome();
  }

  async outcome(seq = this.seq): Promise<EpisodeOutcome> {
    const outcome = await settledOutcome(db, this.runId, seq);
    if (outcome === null) throw new Error(`action ${seq} is not over`);
    return outcome;
  }

  async end(endReason: EndReason, finalEvaluation: FinalEvaluation, step = this.step): Promise<void> {
    await db.pool.query(
      `update runs set status = 'ended', end_reason = $2, final_evaluation = $3, step = $4 where run_id = $1`,
      [this.runId, endReason, finalEvaluation, step],
    );
  }

  async late(): Promise<EpisodeOutcome | null> {
    return lateEnding(db, (await db.episodes.find(this.runId))!);
  }

  /** By the record. */
  async paid(): Promise<{ reward: number | null; fault: string | null; errored: boolean }> {
    const { rows } = await db.pool.query<{ reward: number | null; fault: string | null; errored: boolean }>(
      'select reward, fault, errored from measure_episodes(array[$1])',
      [this.runId],
    );
    return rows[0]!;
  }
}

async function begin(reward: RewardInput, more: Partial<TaskSpec> = {}): Promise<Played> {
  const { batchId } = await db.episodes.openBatch({
    ...{ batchId: newBatchId(), name: `ends ${++tasks}`, spec: {}, seed: 1, concurrency: 1 },
  });
  const spec = task(`ends${tasks}`, 'maximize', { baseline: { value: BASELINE, standardError: 0 }, ...more });
  const model = { name: 'external', kind: 'external', provider: 'external', model: 'external' } as const;
  const played = { ...run(batchId, spec, 'external', 1), model, runId: newRunId() };
  await db.episodes.create(
    {
      ...{
        run: played,
        episodeId: played.runId,
        protocol: 'rest',
        session: null,
        reset: {},
        reward: rewardRequest(reward),
      },
      ...{ idleSeconds: 60, deadlineAt: null, resetMs: 1 },
    },
    'test',
  );
  return new Played(played.runId);
}

const summed = (parts: Record<string, number>): number => Object.values(parts).reduce((a, b) => a + b, 0);

describe('an end between two actions', () => {
  test('is paid what it adds to the last action, in parts that add up to it', async () => {
    const played = await begin({ mode: 'delta_prev', format_penalty: 0.25 });
    await played.act('validate');
    await played.evaluated({ kind: 'validate', score: 3 });
    expect(await played.asked()).toMatchObject({ reward: 0.5, rewardParts: { evaluation: 0.5 } });
    await played.evaluated({ kind: 'forced', score: 3 }, 2);
    await played.end('deadline', 'ok', 2);
    const late = await played.late();
    expect(late).toMatchObject({ truncated: true, reward: 0 });
    expect(late?.rewardParts).toEqual({ evaluation: 0 });
    expect(await played.paid()).toMatchObject({ reward: 0.5 });
  });

  test('pays no penalty again', async () => {
    const played = await begin({ mode: 'delta_prev', format_penalty: 0.25 });
    await played.act('ls');
    await played.asked();
    expect(await played.refuse()).toMatchObject({ reward: -0.25, rewardParts: { format: -0.25 } });
    await played.evaluated({ kind: 'forced', score: 4 }, 2);
    await played.end('deadline', 'ok', 2);
    const late = await played.late();
    expect(late?.reward).toBe(1);
    expect(late?.rewardParts).toEqual({ evaluation: 1 });
    expect(await played.paid()).toMatchObject({ reward: 0.75 });
  });

  test('without a further evaluation is no reward, not 0', async () => {
    const played = await begin({ mode: 'delta_prev' });
    await played.act('validate');
    await played.evaluated({ kind: 'validate', score: 3 });
    await played.asked();
    await played.end('deadline', 'no_artefact', 1);
    expect(await played.late()).toMatchObject({ truncated: true, reward: null, rewardParts: {} });
  });

  test('before any action is paid for the files that lie there', async () => {
    const played = await begin({ mode: 'best' });
    await played.evaluated({ kind: 'forced', score: 3 }, 1);
    await played.end('deadline', 'ok', 1);
    expect(await played.late()).toMatchObject({ truncated: true, reward: 0.5, rewardParts: { evaluation: 0.5 } });
    expect(await played.paid()).toMatchObject({ reward: 0.5 });
  });
});

test('parts add up to the reward where an action is evaluated, and the end after it', async () => {
  const played = await begin({ mode: 'delta_prev' });
  const last = await played.act('validate');
  await played.evaluated({ kind: 'validate', score: 3 });
  await played.evaluated({ kind: 'forced', score: 4 }, 2);
  await played.end('max_steps', 'ok', 2);
  const outcome = await played.outcome(last);
  expect(outcome).toMatchObject({ truncated: true, reward: 1 });
  expect(summed(outcome.rewardParts)).toBe(1);
});

describe('a fault that the record knows', () => {
  test.each(['best'] as const)(
    'is told at the end: of %s, the evaluation that failed may have been the one that counts',
    async (mode) => {
      const played = await begin({ mode });
      await played.act('validate');
      await played.evaluated({ kind: 'validate', score: 'evaluator_error' });
      expect(await played.asked()).toMatchObject({ reward: null, fault: null });
      await played.act('submit');
      await played.evaluated({ kind: 'submit', score: 3 });
      await played.end('submit', 'ok');
      expect(await played.outcome()).toMatchObject({
        ...{ reward: null, terminated: false, truncated: false, fault: { reason: 'evaluator_error' } },
      });
      expect(await played.paid()).toEqual({ reward: null, fault: 'evaluator_error', errored: true });
    },
  );

  test('is none where the last evaluation alone counts, and succeeded', async () => {
    const played = await begin({ mode: 'final' });
    await played.act('validate');
    await played.evaluated({ kind: 'validate', score: 'evaluator_error' });
    await played.asked();
    await played.act('submit');
    await played.evaluated({ kind: 'submit', score: 3 });
    await played.end('submit', 'ok');
    expect(await played.outcome()).toMatchObject({ reward: 0.5, terminated: true, fault: null });
    expect(await played.paid()).toEqual({ reward: 0.5, fault: null, errored: false });
  });

  test('is a missing baseline, too', async () => {
    const played = await begin({ mode: 'best' }, { baseline: undefined });
    await played.act('submit');
    await played.evaluated({ kind: 'submit', score: 3 });
    await played.end('submit', 'ok');
    expect(await played.outcome()).toMatchObject({ reward: null, terminated: false, fault: { reason: 'no_baseline' } });
    expect(await played.paid()).toEqual({ reward: null, fault: 'no_baseline', errored: true });
  });
});

describe('of a task with a validation split', () => {
  const splits: Partial<TaskSpec> = { splits: ['validation', 'test'] };

  test.each(['best', 'delta_prev'] as const)(
    'a hidden evaluation that fails takes no reward: %s is paid for what was shown',
    async (mode) => {
      const played = await begin({ mode }, splits);
      await played.act('submit');
      await played.evaluated({ kind: 'submit', score: 'evaluator_error' });
      await played.evaluated({ kind: 'submit', score: 3, split: 'validation' });
      await played.end('submit', 'evaluator_error');
      expect(await played.outcome()).toMatchObject({ reward: 0.5, terminated: true, fault: null });
      expect(await played.paid()).toEqual({ reward: 0.5, fault: null, errored: false });
    },
  );

  test('one on the shown split that fails does', async () => {
    const played = await begin({ mode: 'best' }, splits);
    await played.act('submit');
    await played.evaluated({ kind: 'submit', score: 'evaluator_error' });
    await played.evaluated({ kind: 'submit', score: 'evaluator_error', split: 'validation' });
    await played.end('submit', 'evaluator_error');
    expect(await played.outcome()).toMatchObject({ reward: null, fault: { reason: 'evaluator_error' } });
    expect(await played.paid()).toEqual({ reward: null, fault: 'evaluator_error', errored: true });
  });
});
