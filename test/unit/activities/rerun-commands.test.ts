import { describe, expect, it } from 'vitest';
import { rerunCommands } from '../../../activities/rerun-commands.js';
import { SandboxLost } from '../../../domain/errors.js';
import type { CommandOutcome, SandboxCommand, SandboxRef } from '../../../domain/ports/sandbox-port.js';
import type { RunDefinition, StepRecord } from '../../../domain/run/run.js';
import { agentConfig, stepRecord, taskSpec } from '../../fakes/records.js';

const run = { runId: 'r-test', batchId: 'b-test', agent: agentConfig(), task: taskSpec() } as RunDefinition;
const { commandSeconds } = run.task.limits;

const ENDED: CommandOutcome = {
  exitCode: 0,
  timedOut: false,
  interrupted: false,
  stoppedBy: null,
  lost: false,
  output: '',
  outputBytes: 0,
  stateReset: false,
  notice: null,
  workingDir: '/ws',
  requested: null,
  toolState: { openFile: null },
  memories: [],
  ms: 1,
  pid: 1,
};

/** Restores a run with these steps in container 2; commands without `outcomes` succeed. */
async function brought(steps: Partial<StepRecord>[], outcomes: Record<number, Partial<CommandOutcome>>) {
  const commands: SandboxCommand[] = [];
  const stopped: SandboxRef[] = [];
  const events: string[] = [];
  const sandbox = {
    run: async (_: SandboxRef, command: SandboxCommand) => {
      commands.push(command);
      return { ...ENDED, ...outcomes[command.n] };
    },
    stop: async (ref: SandboxRef) => void stopped.push(ref),
  };
  const store = {
    recordedCommands: async () =>
      steps.flatMap((step, i) => {
        const { action, ...record } = stepRecord({ step: i + 1, ...step });
        return action === null ? [] : [{ ...record, action }];
      }),
    addEvent: async ({ kind, key, detail }: { kind: string; key: string; detail: string }) =>
      void events.push(`${kind} ${key}: ${detail}`),
  };
  const which = { epoch: 2, after: 0, through: steps.length, removal: '' };
  const error = await rerunCommands({ store, sandbox }, run, which, new AbortController().signal).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { error, commands, stopped, events };
}

describe('commands on record that are run again in a new container', () => {
  it.each([{ lost: true, exitCode: null, restarted: true }, { restarted: true }])(
    'give it up when it dies on the way: %o',
    async (outcome) => {
      const { error, stopped, commands } = await brought([{}, {}, {}], { 2: outcome });
      expect(error).toBeInstanceOf(SandboxLost);
      expect(stopped).toEqual([{ runId: 'r-test', epoch: 2 }]);
      expect(commands.map((command) => command.n)).toEqual([1, 2]);
    },
  );

  it('may lose a command that was lost on record, whatever becomes of the container', async () => {
    const lost = { lost: true, exitCode: null, restarted: true } as const;
    const { error, events, commands } = await brought([{}, { lost: true, exitCode: null }, {}], { 2: lost });
    expect(error).toBeNull();
    expect(events).toEqual([]);
    expect(commands).toHaveLength(3);
  });

  it('may lose a command where no process could be started, in a container that lives on', async () => {
    const { error, events } = await brought([{}, {}], { 2: { lost: true, exitCode: null } });
    expect(error).toBeNull();
    expect(events).toEqual([
      'rerun_diverged epoch-2-step-2: step 2: the recorded command ended with 0, but the rerun in container 2 was lost',
    ]);
  });

  it('may begin in a container that was started twice', async () => {
    expect((await brought([{}, {}], { 1: { restarted: true } })).error).toBeNull();
  });

  it('are told of when they end otherwise', async () => {
    const { error, events } = await brought([{ timedOut: true, exitCode: 137 }, { exitCode: 1 }, {}], {
      3: { timedOut: true, exitCode: 143 },
    });
    expect(error).toBeNull();
    expect(events).toEqual([
      'rerun_diverged epoch-2-step-1: step 1: the recorded command was stopped by a limit, but the rerun in container 2 ended with 0',
      'rerun_diverged epoch-2-step-2: step 2: the recorded command ended with 1, but the rerun in container 2 ended with 0',
      'rerun_diverged epoch-2-step-3: step 3: the recorded command ended with 0, but the rerun in container 2 was stopped by a limit',
    ]);
  });

  it('have no more time than it took to stop them, if a limit did', async () => {
    const { commands } = await brought([{ timedOut: true, commandMs: 2345 }, { commandMs: 2345 }], {
      1: { timedOut: true },
    });
    expect(commands.map((command) => command.timeLimitSeconds)).toEqual([3, commandSeconds]);
  });
});
