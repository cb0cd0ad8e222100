import { asyncLocalStorage, CancelledFailure, type Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { commandActivities, type CommandPorts, executeCommand } from '../../../activities/command.js';
import type { RunDefinition } from '../../../domain/run/run.js';
import { agentConfig, stepRecord, taskSpec } from '../../fakes/records.js';

const args = { runId: 'r-test', step: 3, epoch: 1, timeLimitSeconds: 60, fence: 'f/1' };

/** A command that runs until Temporal cancels its waiter; and the interrupted commands. */
function running(): { ports: CommandPorts; aborting: AbortController; interrupted: number[]; begun: Promise<void> } {
  const aborting = new AbortController();
  const interrupted: number[] = [];
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const run = { runId: 'r-test', batchId: 'b-test', backend: 'docker', agent: agentConfig(), task: taskSpec() };
  const sandbox = {
    run: (_ref: unknown, _command: unknown, signal: AbortSignal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        begin();
      }),
    interrupt: async (_ref: unknown, n: number) => void interrupted.push(n),
  };
  const ports = {
    store: {
      takeOver: async () => [],
      step: async () => stepRecord({ step: 3, action: 'sleep 9', observation: null }),
    },
    definitions: { get: async () => ({ ...run, model: { kind: 'scripted' } }) as unknown as RunDefinition },
    backends: { docker: { sandbox } },
  };
  return { ports: ports as unknown as CommandPorts, aborting, interrupted, begun };
}

/** How Temporal takes a command from its worker: an activity of its own, or in a slice. */
async function interruptedBy(reason: string, inSlice: boolean): Promise<number[]> {
  const { ports, aborting, interrupted, begun } = running();
  const context = { cancellationSignal: aborting.signal, info: { attempt: 1 } } as unknown as Context;
  const waits = inSlice
    ? executeCommand(ports, args, aborting.signal)
    : asyncLocalStorage.run(context, () => commandActivities(ports).executeCommand(args));
  await Promise.race([begun, waits]);
  aborting.abort(new CancelledFailure(reason));
  await expect(waits).rejects.toThrow(reason);
  return interrupted;
}

it.each(['NOT_FOUND', 'TIMED_OUT', 'WORKER_SHUTDOWN'])(
  'a command whose attempt is given up (%s) runs on: the next attempt waits for it',
  async (reason) => {
    expect(await interruptedBy(reason, false)).toEqual([]);
  },
);

it('a command of a run that is cancelled is interrupted', async () => {
  expect(await interruptedBy('CANCELLED', false)).toEqual([3]);
});

it.each(['TIMED_OUT', 'WORKER_SHUTDOWN'])('a command of a slice that is given up (%s) runs on', async (reason) => {
  expect(await interruptedBy(reason, true)).toEqual([]);
});
