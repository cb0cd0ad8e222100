import { expect, it } from 'vitest';
import { evaluateOnSplit, type SplitPorts } from '../../../activities/evaluate-on-split.js';
import type { EvaluationOutcome } from '../../../domain/ports/evaluator-port.js';
import type { RunDefinition } from '../../../domain/run/run.js';
import { taskSpec } from '../../fakes/records.js';

const LATE: EvaluationOutcome = { kind: 'rejected', message: 'The time limit ran out', starved: true };
const OK: EvaluationOutcome = { kind: 'ok', metrics: { Score: 1 } };

/** What an evaluation comes to whose tries come to these, and the events of it. */
async function after(
  ...outcomes: EvaluationOutcome[]
): Promise<{ outcome: EvaluationOutcome; told: string[]; seeds: Set<string> }> {
  const told: string[] = [];
  const seeds = new Set<string>();
  const ports = {
    store: { addEvent: async ({ kind }: { kind: string }) => void told.push(kind) },
    backends: {
      local: {
        evaluator: {
          evaluate: async ({ seed }: { seed: string }) => {
            seeds.add(seed);
            return outcomes.shift();
          },
        },
      },
    },
    taskFolder: async () => '/task',
    secret: '00',
  } as unknown as SplitPorts;
  const run = {
    runId: 'r-test',
    batchId: 'b-test',
    backend: 'local',
    task: taskSpec({}),
    attempt: 1,
    seed: 1,
    model: { name: 'm' },
  };
  const wanted = { run: run as RunDefinition, step: 3, kind: 'validate' } as const;
  return {
    outcome: await evaluateOnSplit(ports, wanted, 'test', { sha256: 'a', files: [] }, new AbortController().signal),
    told,
    seeds,
  };
}

it('a submission that was late because the machine was short of CPU is evaluated once more, with the same seed', async () => {
  const { outcome, told, seeds } = await after(LATE, OK);
  expect(outcome).toEqual(OK);
  expect(told).toEqual(['machine_busy']);
  expect(seeds.size).toBe(1);
});

it('and is late if it is so again', async () => {
  expect(await after(LATE, LATE, OK)).toMatchObject({ outcome: LATE, told: ['machine_busy'] });
});

it('one that was late by itself is not', async () => {
  const late: EvaluationOutcome = { kind: 'rejected', message: 'The time limit ran out' };
  expect(await after(late, OK)).toMatchObject({ outcome: late, told: [] });
});
