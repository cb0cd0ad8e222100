import { asyncLocalStorage, CancelledFailure, type Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { evaluateActivities, type EvaluatePorts } from '../../../activities/evaluate.js';
import type { EvaluateResult } from '../../../domain/model/messages.js';
import type { EvaluationRecord, RunDefinition } from '../../../domain/run/run.js';
import { taskSpec } from '../../fakes/records.js';

interface Situation {
  /** Can the engine freeze? */
  freezes?: boolean;
  known?: Partial<EvaluationRecord>;
  fails?: boolean;
  /** Temporal's word for why it takes the evaluation from its worker, while that is under way. */
  abortedBy?: string;
}

/** What is done to the sandbox around an evaluation, in order. */
async function doneAround({ freezes = true, known, fails = false, abortedBy }: Situation): Promise<{
  done: string[];
  result: EvaluateResult | undefined;
}> {
  const run = {
    runId: 'r-test',
    batchId: 'b-test',
    backend: 'docker',
    task: taskSpec({}),
    attempt: 1,
    model: { name: 'm' },
    seed: 1,
    agent: { tools: {} },
  };
  const aborting = new AbortController();
  const done: string[] = [];
  const tell = (what: string) => async () => void done.push(what);
  const ports = {
    store: {
      evaluation: async () => known ?? null,
      evaluationNumber: async () => 1,
      earlierScore: async () => null,
      takenSubmission: async () => ({ kind: 'files', sha256: 'a' }),
      saveEvaluation: tell('saved'),
      addEvent: async ({ kind }: { kind: string }) => void done.push(kind),
    },
    definitions: { get: async () => run as unknown as RunDefinition },
    artifacts: { get: async () => Buffer.from('[]') },
    backends: {
      docker: {
        sandbox: {
          isolation: 'container',
          freeze: async () => {
            done.push('frozen');
            return freezes;
          },
          thaw: tell('thawed'),
        },
        evaluator: {
          isolation: 'container',
          evaluate: async () => {
            done.push('evaluated');
            if (fails) throw new Error('the engine is gone');
            if (abortedBy !== undefined) aborting.abort(new CancelledFailure(abortedBy));
            aborting.signal.throwIfAborted();
            await new Promise((resolve) => setTimeout(resolve, 20));
            return { kind: 'ok', metrics: { Score: 1 } };
          },
        },
      },
    },
    taskFolder: async () => '/task',
    secret: '00',
  } as unknown as EvaluatePorts;
  const result = await asyncLocalStorage
    .run({ heartbeat: () => undefined, cancellationSignal: aborting.signal } as unknown as Context, () =>
      evaluateActivities(ports).evaluate({ runId: 'r-test', step: 3, epoch: 1, kind: 'validate' }),
    )
    .catch(() => undefined);
  return { done, result };
}

it('nothing of the agent runs while its submission is evaluated, which is on no clock of the run', async () => {
  const { done, result } = await doneAround({});
  expect(done).toEqual(['frozen', 'evaluated', 'saved', 'thawed']);
  expect(result).toMatchObject({ status: 'ok', ms: 0 });
});

it('an evaluation that fails leaves no sandbox frozen', async () => {
  expect((await doneAround({ fails: true })).done).toEqual(['frozen', 'evaluated', 'thawed']);
});

it('an evaluation that was given to another attempt leaves the sandbox frozen for that one', async () => {
  expect((await doneAround({ abortedBy: 'NOT_FOUND' })).done).toEqual(['frozen', 'evaluated']);
  expect((await doneAround({ abortedBy: 'CANCELLED' })).done).toEqual(['frozen', 'evaluated', 'thawed']);
});

it('what a worker that died after storing its evaluation left frozen is thawed by the next one', async () => {
  const { done, result } = await doneAround({ known: { status: 'ok', primary: 1, ms: 5000 } });
  expect(done).toEqual(['thawed']);
  expect(result).toEqual({ status: 'ok', primary: 1, ms: 0 });
});

it('where the engine cannot freeze, an event says so and the evaluation is on the clock', async () => {
  const { done, result } = await doneAround({ freezes: false });
  expect(done).toEqual(['frozen', 'sandbox_not_frozen', 'evaluated', 'saved', 'thawed']);
  expect(result?.ms).toBeGreaterThan(0);
});
