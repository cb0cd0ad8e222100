import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { evaluateActivities, type EvaluatePorts } from '../../../activities/evaluate.js';
import type { EvaluationJob } from '../../../domain/ports/evaluator-port.js';
import type { EvaluationKind, RunDefinition } from '../../../domain/run/run.js';
import { taskSpec } from '../../fakes/records.js';

const context = { heartbeat: () => undefined, cancellationSignal: new AbortController().signal };

/** The seed that an evaluation of a run gets. */
async function seedOf(
  run: Partial<RunDefinition>,
  {
    step = 1,
    number = 1,
    kind = 'validate',
    secret = '00',
    sha256 = 'a',
  }: Partial<Record<'step' | 'number', number>> & { kind?: EvaluationKind; secret?: string; sha256?: string } = {},
): Promise<string> {
  const definition = {
    backend: 'local',
    task: taskSpec({}),
    attempt: 1,
    seed: 43,
    agent: { tools: {} },
    model: { name: 'gpt-4o' },
    ...run,
  } as unknown as RunDefinition;
  const seeds: string[] = [];
  const ports = {
    store: {
      evaluation: async () => null,
      evaluationNumber: async () => number,
      setStatus: async () => undefined,
      earlierScore: async () => null,
      takenSubmission: async () => ({ kind: 'files', sha256 }),
      saveEvaluation: async () => undefined,
    },
    definitions: { get: async () => definition },
    artifacts: { get: async () => Buffer.from('[]') },
    backends: {
      local: {
        sandbox: { freeze: async () => true, thaw: async () => undefined },
        evaluator: {
          isolation: 'none',
          evaluate: async ({ seed }: EvaluationJob) => {
            seeds.push(seed);
            return { kind: 'ok', metrics: { Score: 1 } };
          },
        },
      },
    },
    taskFolder: async () => '/task',
    secret,
  } as unknown as EvaluatePorts;
  await asyncLocalStorage.run(context as unknown as Context, () =>
    evaluateActivities(ports).evaluate({ runId: definition.runId, step, epoch: 1, kind }),
  );
  return seeds.join();
}

it('is the same when an evaluation is tried again', async () => {
  expect(await seedOf({ runId: 'r-one', batchId: 'b-one' })).toBe(await seedOf({ runId: 'r-one', batchId: 'b-one' }));
});

it('is that of equal submissions of a batch, whatever their models, attempts, seeds and steps', async () => {
  const seeds = await Promise.all([
    seedOf({ runId: 'r-one', batchId: 'b-one' }),
    seedOf({ runId: 'r-two', batchId: 'b-one', attempt: 2, seed: 44 }),
    seedOf({ runId: 'r-two', batchId: 'b-one', attempt: 2, seed: 44 }, { step: 9, number: 5, kind: 'submit' }),
  ]);
  expect(new Set(seeds).size).toBe(1);
});

it('is another for each further attempt of the baseline, which measures the noise', async () => {
  const seeds = await Promise.all(
    [1, 2, 3].map((attempt) => seedOf({ batchId: 'b-one', attempt, model: { name: 'scripted:baseline' } as never })),
  );
  expect(new Set(seeds).size).toBe(3);
  expect(seeds[0]).toBe(await seedOf({ batchId: 'b-one' }));
});

it('is shared by all submissions of a batch that verifies tasks, which are compared exactly', async () => {
  const verified = { batchId: 'b-one', verification: true };
  expect(await seedOf(verified)).toBe(await seedOf(verified, { sha256: 'b' }));
});

it('is another for each submission, batch, task, group of episodes and home', async () => {
  const seeds = await Promise.all([
    seedOf({ batchId: 'b-one' }),
    seedOf({ batchId: 'b-two' }),
    seedOf({ batchId: 'b-one', task: taskSpec({ id: 'another' }) }),
    seedOf({ batchId: 'b-one', drawGroup: 'group a' }),
    seedOf({ batchId: 'b-one', drawGroup: 'group b' }),
    seedOf({ batchId: 'b-one' }, { secret: '01' }),
    seedOf({ batchId: 'b-one' }, { sha256: 'b' }),
  ]);
  expect(new Set(seeds).size).toBe(seeds.length);
});
