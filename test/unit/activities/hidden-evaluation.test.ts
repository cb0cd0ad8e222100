import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { evaluateActivities, type EvaluatePorts } from '../../../activities/evaluate.js';
import { hiddenEvaluationActivities } from '../../../activities/evaluate-hidden.js';
import type { EvaluationOutcome, EvaluationJob } from '../../../domain/ports/evaluator-port.js';
import type { HiddenEvaluation } from '../../../domain/ports/record/hidden-evaluations.js';
import type { RunDefinition } from '../../../domain/run/run.js';
import { taskSpec } from '../../fakes/records.js';

const context = { heartbeat: () => undefined, cancellationSignal: new AbortController().signal };
const as = <T>(work: () => Promise<T>): Promise<T> => asyncLocalStorage.run(context as unknown as Context, work);

/** A run whose sandbox lives, of a task with two splits, and what is done to it in order. */
function situation(
  outcome: EvaluationOutcome,
  waiting: HiddenEvaluation[] = [],
  artifact: Buffer | null = Buffer.from('[]'),
) {
  const task = taskSpec({ splits: ['validation', 'test'] });
  const run = {
    runId: 'r-test',
    batchId: 'b-test',
    backend: 'docker',
    task,
    attempt: 1,
    model: { name: 'm' },
    seed: 1,
    agent: { tools: {} },
  } as unknown as RunDefinition;
  const done: string[] = [];
  const saved: unknown[] = [];
  const save = (how: string) => async (record: unknown) => {
    done.push(how);
    saved.push(record);
  };
  const ports = {
    store: {
      evaluation: async () => null,
      evaluationNumber: async () => 1,
      earlierScore: async () => null,
      setStatus: async () => undefined,
      takenSubmission: async () => ({ kind: 'files', sha256: 'a' }),
      saveEvaluation: save('saved'),
      saveShown: save('shown'),
      nextHidden: async () => waiting.shift() ?? null,
      finalEvaluation: async () => 'ok',
      addEvent: async ({ kind }: { kind: string }) => void done.push(kind),
    },
    definitions: { get: async () => run },
    artifacts: { get: async () => artifact },
    backends: {
      docker: {
        sandbox: {
          isolation: 'container',
          freeze: async () => true,
          thaw: async () => undefined,
          list: async () => [
            { runId: 'r-other', epoch: 1 },
            { runId: 'r-test', epoch: 2 },
          ],
          networkRequests: async () => [],
          stop: async ({ runId, epoch }: { runId: string; epoch: number }) =>
            void done.push(`stopped ${runId} ${epoch}`),
        },
        evaluator: {
          isolation: 'container',
          evaluate: async ({ split }: EvaluationJob) => {
            done.push(split);
            return outcome;
          },
        },
      },
    },
    taskFolder: async () => '/task',
    secret: '00',
  } as unknown as EvaluatePorts;
  return { ports, done, saved };
}
const OK: EvaluationOutcome = { kind: 'ok', metrics: { Score: 1 } };
const WAITING: HiddenEvaluation = {
  ...{ step: 3, kind: 'validate', number: 1, fromStep: null, suspect: false },
  submissionSha256: 'a'.repeat(64),
};

it('while the sandbox lives the validation alone is evaluated, and the test waits', async () => {
  const { ports, done, saved } = situation(OK);
  const { evaluate } = evaluateActivities(ports);
  const args = { runId: 'r-test', step: 3, epoch: 2, kind: 'validate' } as const;
  expect(await as(() => evaluate(args))).toEqual({ status: 'ok', primary: null, ms: 0 });
  expect(done).toEqual(['validation', 'shown']);
  expect(saved).toMatchObject([{ submissionSha256: 'a', otherSplits: [{ split: 'validation', primary: 1 }] }]);
});

it('what is rejected on the validation has no test to wait for', async () => {
  const { ports, done, saved } = situation({ kind: 'rejected', message: 'no' });
  const { evaluate } = evaluateActivities(ports);
  const args = { runId: 'r-test', step: 3, epoch: 2, kind: 'submit' } as const;
  expect(await as(() => evaluate(args))).toMatchObject({ status: 'rejected' });
  expect(done).toEqual(['validation', 'saved']);
  expect(saved).toMatchObject([{ status: 'rejected', otherSplits: [{ split: 'validation', status: 'rejected' }] }]);
});

it('the test is evaluated when no sandbox of the run lives, one submission at a time', async () => {
  const { ports, done, saved } = situation(OK, [WAITING, { ...WAITING, step: 5, number: 2, suspect: true }]);
  const { evaluateHidden } = hiddenEvaluationActivities(ports);
  expect(await as(() => evaluateHidden({ runId: 'r-test' }))).toEqual({ more: true, final: null });
  expect(done).toEqual(['stopped r-test 2', 'test', 'saved']);
  await as(() => evaluateHidden({ runId: 'r-test' }));
  expect(saved).toMatchObject([
    { step: 3, primary: 1, shown: '', suspect: false },
    { step: 5, primary: 1, shown: '', suspect: true },
  ]);
  expect(await as(() => evaluateHidden({ runId: 'r-test' }))).toEqual({ more: false, final: 'ok' });
});

it('a submission that is not to be found is no fault of the agent', async () => {
  const { ports, done, saved } = situation(OK, [WAITING], null);
  await as(() => hiddenEvaluationActivities(ports).evaluateHidden({ runId: 'r-test' }));
  expect(done).toEqual(['stopped r-test 2', 'submission_missing', 'saved']);
  expect(saved).toMatchObject([{ status: 'evaluator_error', primary: null }]);
});
