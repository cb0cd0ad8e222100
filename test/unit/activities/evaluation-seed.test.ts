import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { evaluateActivities, type EvaluatePorts } from '../../../activities/evaluate.js';
import type { EvaluationJob } from '../../../domain/ports/evaluator-port.js';
import type { RunDefinition } from '../../../domain/run.js';
import { taskSpec } from '../../fakes/records.js';

const context = { heartbeat: () => undefined, cancellationSignal: new AbortController().signal };

/** The seed that evaluation 1 of a run gets. */
async function seedOf(run: Partial<RunDefinition>): Promise<string> {
  const definition = {
    backend: 'local',
    task: taskSpec({}),
    attempt: 1,
    seed: 43,
    agent: { tools: {} },
    ...run,
  } as unknown as RunDefinition;
  const seeds: string[] = [];
  const ports = {
    store: {
      evaluation: async () => null,
      evaluationNumber: async () => 1,
      takenSubmission: async () => ({ kind: 'files', sha256: 'a' }),
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
    secret: '00',
  } as unknown as EvaluatePorts;
  await asyncLocalStorage.run(context as unknown as Context, () =>
    evaluateActivities(ports).evaluate({ runId: definition.runId, step: 1, epoch: 1, kind: 'validate' }),
  );
  return seeds.join();
}

it('is the same when an evaluation is tried again', async () => {
  expect(await seedOf({ runId: 'r-one', batchId: 'b-one' })).toBe(await seedOf({ runId: 'r-one', batchId: 'b-one' }));
});

it('is another in each run, of the same batch and of a later one with the same seed', async () => {
  const seeds = await Promise.all([
    seedOf({ runId: 'r-one', batchId: 'b-one' }),
    seedOf({ runId: 'r-two', batchId: 'b-one' }),
    seedOf({ runId: 'r-three', batchId: 'b-two' }),
  ]);
  expect(new Set(seeds).size).toBe(3);
});

it('is shared by the runs that verify a task together, and by no others', async () => {
  const verification = { batchId: 'b-one', verification: true };
  expect(await seedOf({ runId: 'r-one', ...verification })).toBe(await seedOf({ runId: 'r-two', ...verification }));
  expect(await seedOf({ runId: 'r-one', ...verification })).not.toBe(
    await seedOf({ runId: 'r-one', verification: true, batchId: 'b-two' }),
  );
});
