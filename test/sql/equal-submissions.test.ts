import { createHash } from 'node:crypto';
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluateActivities, type EvaluatePorts } from '../../activities/evaluate.js';
import { hiddenEvaluationActivities } from '../../activities/evaluate-hidden.js';
import { type Database, openDatabase } from '../../db/index.js';
import type { SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import type { EvaluationJob, EvaluationOutcome } from '../../domain/ports/evaluator-port.js';
import type { EvaluationKind } from '../../domain/run/run.js';
import { run, submission, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(() => db.close());

const context = { heartbeat: () => undefined, cancellationSignal: new AbortController().signal };
const as = <T>(work: () => Promise<T>): Promise<T> => asyncLocalStorage.run(context as unknown as Context, work);

/** Runs of one batch; evaluations follow each job's seed, except those in `outcomes`. */
async function situation(spec = task('t-equal'), runs = 1) {
  const batch = submission(null, (id) => Array.from({ length: runs }, (_, nth) => run(id, spec, 'm', nth + 1)));
  await db.intake.submit(batch);
  const artifacts = new Map<string, Buffer>();
  const put = async (bytes: Buffer) => {
    const hash = createHash('sha256').update(bytes).digest('hex');
    artifacts.set(hash, bytes);
    return hash;
  };
  const jobs: EvaluationJob[] = [];
  const outcomes: EvaluationOutcome[] = [];
  let content = 'first';
  const ports = {
    store: db.store,
    definitions: { get: (runId: string) => db.store.definition(runId) },
    artifacts: { put, get: async (hash: string) => artifacts.get(hash) ?? null },
    backends: {
      docker: {
        sandbox: {
          isolation: 'container',
          collect: async () => ({ kind: 'files', files: [{ path: 'answer.py', bytes: Buffer.from(content) }] }),
          ...{ freeze: async () => true, thaw: async () => undefined, stop: async () => undefined },
          ...{ list: async () => [], networkRequests: async () => [] },
        },
        evaluator: {
          isolation: 'container',
          evaluate: async (job: EvaluationJob): Promise<EvaluationOutcome> => {
            jobs.push(job);
            return (
              outcomes.shift() ?? { kind: 'ok', metrics: { score: Number.parseInt(job.seed.slice(0, 4), 16) / 1000 } }
            );
          },
        },
      },
    },
    taskFolder: async () => '/task',
    secret: '00',
  } as unknown as EvaluatePorts;
  return {
    ...{ jobs, outcomes, runs: batch.runs },
    edit: (text: string) => void (content = text),
    evaluate: async (one: SubmittedRun, step: number, kind: EvaluationKind = 'validate') => {
      await db.store.saveAction(one.runId, step, { response: '', thought: '', action: kind, modelMs: 1 });
      const ended = { exitCode: 0, timedOut: false, lost: false, outputBytes: 0, workingDir: '/ws', commandMs: 1 };
      await db.store.saveCommand(one.runId, step, { observation: '', requested: 'validate', ...ended });
      const result = await as(() => evaluateActivities(ports).evaluate({ runId: one.runId, step, epoch: 1, kind }));
      const steps = await db.queries.trajectory(one.runId);
      return { ...result, shown: steps.find((row) => row.step === step)?.observation ?? '' };
    },
    evaluateHidden: (one: SubmittedRun) =>
      as(() => hiddenEvaluationActivities(ports).evaluateHidden({ runId: one.runId })),
  };
}

describe('a submission that a run had scored before', () => {
  test('gets its stored score without an evaluator, and its observation says so', async () => {
    const { evaluate, edit, jobs, runs } = await situation();
    const [one] = runs as [SubmittedRun];
    const first = await evaluate(one, 1);
    edit('second');
    const second = await evaluate(one, 2);
    edit('first');
    const again = await evaluate(one, 3);
    const submitted = await evaluate(one, 4, 'submit');
    expect(jobs).toHaveLength(2);
    expect([again.primary, submitted.primary]).toEqual([first.primary, first.primary]);
    expect(second.shown).not.toContain('stored score');
    expect(again.shown).toContain('equals that of step 1: this is its stored score');
    const { rows } = await db.pool.query<{ number: number }>(
      `select number, status, primary_score as score from evaluations where run_id = $1 order by number`,
      [one.runId],
    );
    const row = (number: number, { primary }: { primary: number | null }) => ({ number, status: 'ok', score: primary });
    expect(rows).toEqual([row(1, first), row(2, second), row(3, first), row(4, first)]);
    // It used a validation, as any other.
    expect(await db.store.validationsBefore(one.runId, 4)).toBe(3);
  });

  test('that was rejected is rejected with the same words', async () => {
    const { evaluate, jobs, outcomes, runs } = await situation();
    outcomes.push({ kind: 'rejected', message: 'in game 3: no move' });
    const [one] = runs as [SubmittedRun];
    const first = await evaluate(one, 1);
    const again = await evaluate(one, 2);
    expect(jobs).toHaveLength(1);
    expect(again).toMatchObject({ status: 'rejected', primary: null });
    expect(again.shown.split('\n')[0]).toBe(first.shown);
  });

  test('is evaluated again where the evaluator failed', async () => {
    const { evaluate, jobs, outcomes, runs } = await situation();
    outcomes.push({ kind: 'evaluator_error', message: 'the referee failed' });
    const [one] = runs as [SubmittedRun];
    expect(await evaluate(one, 1)).toMatchObject({ status: 'evaluator_error' });
    expect(await evaluate(one, 2)).toMatchObject({ status: 'ok' });
    expect(jobs).toHaveLength(2);
  });

  test('is tested once on the hidden split, too', async () => {
    const { evaluate, evaluateHidden, jobs, runs } = await situation(
      task('t-equal-split', 'maximize', { splits: ['validation', 'test'] }),
    );
    const [one] = runs as [SubmittedRun];
    await evaluate(one, 1);
    await evaluate(one, 2, 'submit');
    await evaluateHidden(one);
    await evaluateHidden(one);
    expect(jobs.map(({ split }) => split)).toEqual(['validation', 'test']);
    const { rows } = await db.pool.query(
      `select count(distinct primary_score)::int as scores, count(*)::int as rows from evaluations
       where run_id = $1 and split = 'test' and status = 'ok'`,
      [one.runId],
    );
    expect(rows).toEqual([{ scores: 1, rows: 2 }]);
  });

  test('is evaluated again where its tests run among the processes of the agent', async () => {
    const evaluator = {
      kind: 'harbor',
      verification: 'live',
      workdir: '/app',
      memoryMb: 1,
      timeoutSeconds: 9,
      env: {},
    };
    const spec = task('t-equal-live', 'maximize', { evaluator: evaluator as never });
    const { evaluate, jobs, runs } = await situation(spec);
    const [one] = runs as [SubmittedRun];
    await evaluate(one, 1);
    await evaluate(one, 2);
    expect(jobs).toHaveLength(2);
  });
});

test('equal submissions of two attempts get equal scores, at whatever step', async () => {
  const { evaluate, edit, jobs, runs } = await situation(task('t-equal-attempts'), 2);
  const [one, other] = runs as [SubmittedRun, SubmittedRun];
  edit('not yet');
  await evaluate(other, 1);
  edit('first');
  const scores = [await evaluate(one, 1), await evaluate(other, 2)].map(({ primary }) => primary);
  expect(jobs).toHaveLength(3);
  expect(scores[0]).toBe(scores[1]);
});

test('episodes share draws with those of their group, else of their seed', async () => {
  const { runs } = await situation(task('t-equal-groups'), 3);
  const [first, second, third] = runs as [SubmittedRun, SubmittedRun, SubmittedRun];
  await anEpisode(first.runId, 'a', null);
  await anEpisode(second.runId, 'a', 7);
  await anEpisode(third.runId, null, null);
  const definitions = await Promise.all(runs.map(({ runId }) => db.store.definition(runId)));
  expect(definitions.map(({ drawGroup }) => drawGroup)).toEqual(['group a', '7 group a', 'seed 45']);
});

const anEpisode = (runId: string, group: string | null, policy: number | null) =>
  db.pool.query(
    `insert into episodes (run_id, episode_id, protocol, reset, reward, labels, next_step, idle_seconds, expires_at, group_key, policy_version)
     values ($1, $1, 'rest', '{}', '{}', '{}', 1, 60, now(), $2, $3)`,
    [runId, group, policy],
  );
