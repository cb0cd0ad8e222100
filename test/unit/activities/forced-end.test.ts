import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { evaluateActivities, type EvaluatePorts } from '../../../activities/evaluate.js';
import type { Outcome } from '../../../domain/agent/evaluation-message.js';
import type { SavedEvaluation } from '../../../domain/ports/record/evaluations.js';
import type { RunDefinition } from '../../../domain/run/run.js';
import { taskSpec } from '../../fakes/records.js';

/** The hash of a submission that was valid at step 2. */
const EARLIER = 'e'.repeat(64);
const context = { heartbeat: () => undefined, cancellationSignal: new AbortController().signal };

/** What judges a run of a task with `onForcedEnd: last_valid`, by its files' outcome. */
async function judgedBy(outcome: Outcome): Promise<{ saved: Partial<SavedEvaluation>; told: string[] }> {
  const task = taskSpec({ onForcedEnd: 'last_valid' });
  const run = {
    runId: 'r-test',
    batchId: 'b-test',
    backend: 'local',
    task,
    attempt: 1,
    model: { name: 'm' },
    seed: 1,
    agent: { tools: {} },
  } as unknown as RunDefinition;
  const told: string[] = [];
  let saved: Partial<SavedEvaluation> = {};
  const ports = {
    store: {
      evaluation: async () => null,
      setStatus: async () => undefined,
      evaluationNumber: async () => 2,
      earlierScore: async () => null,
      takenSubmission: async () => null,
      saveTakenSubmission: async () => undefined,
      validSubmission: async () => ({ step: 2, submissionSha256: EARLIER }),
      addEvent: async ({ kind }: { kind: string }) => void told.push(kind),
      saveEvaluation: async (evaluation: SavedEvaluation) => void (saved = evaluation),
    },
    definitions: { get: async () => run },
    artifacts: {
      put: async () => 'f'.repeat(64),
      get: async (sha256: string) => Buffer.from(sha256 === EARLIER ? '[["strategy.py", "0"]]' : ''),
    },
    backends: {
      local: {
        sandbox: {
          collect: async () => ({ kind: 'files', files: [{ path: 'strategy.py', bytes: Buffer.from('') }] }),
          freeze: async () => true,
          thaw: async () => undefined,
        },
        evaluator: {
          isolation: 'none',
          evaluate: async ({ id }: { id: string }) =>
            id.includes('-of-2') ? { kind: 'ok', metrics: { Score: 1 } } : outcome,
        },
      },
    },
    taskFolder: async () => '/task',
    secret: '00',
  } as unknown as EvaluatePorts;
  await asyncLocalStorage.run(context as unknown as Context, () =>
    evaluateActivities(ports).evaluate({ runId: 'r-test', step: 3, epoch: 1, kind: 'forced' }),
  );
  return { saved, told };
}

it.each(['rejected', 'no_artefact'] as const)(
  'files that come to %s are replaced by the last valid submission',
  async (kind) => {
    const { saved, told } = await judgedBy({ kind, message: 'no' });
    expect(saved).toMatchObject({ status: 'ok', fromStep: 2 });
    expect(told).toEqual(['earlier_submission_used']);
  },
);

it('files that the evaluator failed to judge are replaced by no other ones', async () => {
  const { saved, told } = await judgedBy({ kind: 'evaluator_error', message: 'out of order' });
  expect(saved).toMatchObject({ status: 'evaluator_error', fromStep: null });
  expect(saved.events).toEqual([{ kind: 'evaluator_error', key: '3-forced', detail: 'out of order' }]);
  expect(told).toEqual([]);
});
