import { expect, it } from 'vitest';
import { executeCommand, type CommandPorts } from '../../../activities/command.js';
import { rerunCommands } from '../../../activities/rerun-commands.js';
import { joinedCalls } from '../../../domain/agent/step-text.js';
import type { CommandOutcome, SandboxCommand } from '../../../domain/ports/sandbox-port.js';
import type { ObservedCommand, RunDefinition } from '../../../domain/run/run.js';
import { agentConfig, stepRecord, taskSpec } from '../../fakes/records.js';

const args = { runId: 'r-test', step: 3, epoch: 1, timeLimitSeconds: 60, fence: 'f/1' };
const agent = agentConfig({ outputParser: 'several-tool-calls' });
const run = {
  ...{ runId: 'r-test', batchId: 'b-test', backend: 'docker', agent, task: taskSpec(), model: { kind: 'scripted' } },
} as unknown as RunDefinition;

const outcome = (over: Partial<CommandOutcome>): CommandOutcome => ({
  ...{ exitCode: 0, timedOut: false, interrupted: false, stoppedBy: null, lost: false, output: '', outputBytes: 1 },
  ...{ stateReset: false, notice: null, workingDir: '/ws', requested: null, toolState: { openFile: null } },
  ...{ memories: [], ms: 1000, pid: 1, ...over },
});

/** A sandbox that runs each number once, and returns its outcome ever after. */
function world(action: string, of: Record<string, Partial<CommandOutcome>> = {}, dieBefore?: number) {
  const outcomes = new Map<number, CommandOutcome>();
  const ran: SandboxCommand[] = [];
  const saved: ObservedCommand[] = [];
  let dies = dieBefore;
  const sandbox = {
    run: async (_: unknown, command: SandboxCommand) => {
      const known = outcomes.get(command.n);
      if (known !== undefined) return known;
      if (ran.length === dies) {
        dies = undefined;
        throw new Error('the worker dies');
      }
      ran.push(command);
      const made = outcome({ output: `out of ${command.script}`, ...of[command.script] });
      outcomes.set(command.n, made);
      return made;
    },
    collect: async () => ({ kind: 'missing', paths: ['strategy.py'] }),
    freeze: async () => false,
    thaw: async () => undefined,
    stop: async () => undefined,
  };
  const ports = {
    store: {
      step: async () => stepRecord({ step: 3, action, observation: null }),
      saveCommand: async (_run: string, _step: number, observed: ObservedCommand) => saved.push(observed) > 0,
      workspace: async () => '/ws',
      noteStarter: async () => undefined,
      submissionTaken: async () => null,
      recordedCommands: async () => [{ step: 3, action, exitCode: 7, timedOut: false, lost: false, commandMs: 5 }],
      addEvent: async () => undefined,
    },
    definitions: { get: async () => run },
    backends: { docker: { sandbox } },
    artifacts: {},
  } as unknown as CommandPorts;
  const play = () => executeCommand(ports, args, new AbortController().signal);
  return { play, ran, saved, sandbox, ports };
}

const three = joinedCalls(['one', 'two', 'three'])!;
const numbers = (commands: SandboxCommand[]): unknown[] => commands.map(({ n, script }) => [n, script]);

it('calls run in order under numbers of their own, and are one step', async () => {
  const { play, ran, saved } = world(three, { two: { exitCode: 4, timedOut: true, workingDir: '/b' } });
  expect(await play()).toEqual({ requested: null, exitCode: 0, timedOut: true, ms: 3000 });
  expect(numbers(ran)).toEqual([
    [3, 'one'],
    [1_000_003, 'two'],
    [2_000_003, 'three'],
  ]);
  expect(saved).toMatchObject([{ exitCode: 0, timedOut: true, outputBytes: 3, commandMs: 3000, workingDir: '/ws' }]);
  expect(saved[0]?.observation).toMatch(
    /^\[result 1 of 3, exit code 0\]\nout of one\n\[result 2 of 3, exit code 4\]\nout of two\n.*\n\[result 3 of 3/,
  );
});

it.each([1, 2])(
  'after a death before call %i + 1 the calls that ran are read back, not run again',
  async (ranBefore) => {
    const { play, ran, saved } = world(three, {}, ranBefore);
    await expect(play()).rejects.toThrow('the worker dies');
    expect([ran.length, saved.length]).toEqual([ranBefore, 0]);
    await play();
    expect(ran.map(({ script }) => script)).toEqual(['one', 'two', 'three']);
    expect(saved).toHaveLength(1);
  },
);

it('together they have the time of one command', async () => {
  const { play, ran, saved } = world(three, { one: { ms: 20_000 }, two: { ms: 40_000 } });
  await play();
  expect(ran.map(({ timeLimitSeconds }) => timeLimitSeconds)).toEqual([60, 40]);
  expect(saved[0]?.observation).toMatch(/\[result 3 of 3, exit code unknown\]\n\[not run: .* used up the time/);
});

it('nothing runs after a lost command, whose effects are unknown', async () => {
  const { play, ran } = world(three, { two: { lost: true, exitCode: null } });
  await play();
  expect(ran.map(({ script }) => script)).toEqual(['one', 'two']);
});

it('another agent runs the same text as one script', async () => {
  const { play, ran } = world(three);
  run.agent.outputParser = 'tool-calls';
  try {
    await play();
  } finally {
    run.agent.outputParser = 'several-tool-calls';
  }
  expect(numbers(ran)).toEqual([[3, three]]);
});

it('a new container reruns each call, up to what ended the step', async () => {
  const { ran, sandbox, ports } = world(three, { two: { exitCode: 7, requested: 'validate' } });
  const events: unknown[] = [];
  const store = { ...ports.store, addEvent: async (event: unknown) => void events.push(event) };
  await rerunCommands(
    { store, sandbox },
    run,
    { epoch: 2, after: 2, through: 3, removal: '' },
    new AbortController().signal,
  );
  expect(numbers(ran)).toEqual([
    [3, 'one'],
    [1_000_003, 'two'],
  ]);
  expect(events).toEqual([]);
});
