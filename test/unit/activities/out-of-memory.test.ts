import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { commandActivities, type CommandPorts } from '../../../activities/command.js';
import { parseOutcome } from '../../../backends/shell/protocol.js';
import type { RunEvent } from '../../../domain/ports/record/events.js';
import type { CommandOutcome } from '../../../domain/ports/sandbox-port.js';
import type { RunDefinition } from '../../../domain/run/run.js';
import { agentConfig, stepRecord, taskSpec } from '../../fakes/records.js';

const task = taskSpec();
const OUTCOME = {
  ...{ exitCode: 137, timedOut: false, interrupted: false, stoppedBy: null, lost: false, output: 'epoch 1\nKilled' },
  ...{ outputBytes: 14, stateReset: false, notice: null, workingDir: '/w', requested: null, openFile: null },
  ...{ memories: [], ms: 5, pid: 7 },
};
const outcome = (more: object = {}): CommandOutcome => parseOutcome(JSON.stringify({ ...OUTCOME, ...more }));

/** What step 3 leaves in the record when its command comes to this. */
async function recorded(found: CommandOutcome): Promise<{ observation: string; events: RunEvent[] }> {
  const kept = { observation: '', events: [] as RunEvent[] };
  const run = { runId: 'r-test', batchId: 'b-test', backend: 'docker', agent: agentConfig(), task };
  const ports = {
    store: {
      takeOver: async () => [],
      step: async () => stepRecord({ step: 3, action: 'python3 train.py', observation: null }),
      saveCommand: async (
        _runId: string,
        _step: number,
        { observation }: { observation: string },
        { events }: { events: RunEvent[] },
      ) => void Object.assign(kept, { observation, events }),
    },
    definitions: { get: async () => ({ ...run, model: { kind: 'scripted' } }) as unknown as RunDefinition },
    backends: { docker: { sandbox: { run: async () => found } } },
  };
  const context = { cancellationSignal: new AbortController().signal, info: { attempt: 1 } } as unknown as Context;
  await asyncLocalStorage.run(context, () =>
    commandActivities(ports as unknown as CommandPorts).executeCommand({
      ...{ runId: 'r-test', step: 3, epoch: 1, timeLimitSeconds: 60, fence: 'f/1' },
    }),
  );
  return kept;
}

it.each([
  [1, 'a process was killed'],
  [3, '3 processes were killed'],
])('a command during which the memory limit ended %i processes says so, with the limit', async (kills, text) => {
  const { observation, events } = await recorded(outcome({ memoryKills: kills }));
  const words = `${text}: the sandbox reached its memory limit of ${task.limits.memoryMb} MB`;
  expect(observation).toBe(`epoch 1\nKilled\n[${words}]`);
  expect(events).toEqual([{ kind: 'agent_out_of_memory', key: 'memory-3', detail: `step 3: ${words}` }]);
});

it('a command that is killed otherwise says nothing of memory', async () => {
  expect(await recorded(outcome())).toEqual({ observation: 'epoch 1\nKilled', events: [] });
});

it('a container that ran out of memory itself is restarted, and both are recorded', async () => {
  const { events } = await recorded({ ...outcome({ lost: true }), restarted: true, memoryKills: 1 });
  expect(events.map(({ kind, key }) => `${kind} ${key}`)).toEqual([
    'sandbox_restarted restart-3',
    'command_lost step-3',
    'agent_out_of_memory memory-3',
  ]);
});

it('a container that lost its GPUs is restarted, and both are recorded', async () => {
  const { events } = await recorded({ ...outcome({ gpusLost: true, exitCode: 0 }), restarted: true });
  expect(events.map(({ kind, key }) => `${kind} ${key}`)).toEqual(['sandbox_restarted restart-3', 'gpus_lost gpus-3']);
});
