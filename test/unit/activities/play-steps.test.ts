import { CancelledFailure } from '@temporalio/activity';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HostLeft, InfrastructureError, SandboxLost, Superseded, Unrecoverable } from '../../../domain/errors.js';
import { ProviderError } from '../../../domain/model/provider-error.js';
import { COMMAND_MS, TURN_MS, asksAt, endless, fakeSlice, recordedStep } from './slice-harness.js';

const STEP_MS = TURN_MS + COMMAND_MS;
/** Over soon: what is under way then never ends by itself. */
const BRIEF_MS = 20;

afterEach(() => void vi.useRealTimers());

describe('a slice of steps', () => {
  it('takes steps until a command asks for an evaluation, and adds up their time', async () => {
    const { play, turns, commands, entered, settled } = fakeSlice({ executeCommand: asksAt(3) });
    expect(await play({ elapsedMs: 100 })).toEqual({
      ...{ step: 3, elapsedMs: 100 + 3 * STEP_MS, end: { kind: 'evaluate', requested: 'submit' } },
    });
    expect(turns).toEqual([1, 2, 3]);
    expect(commands.map(({ step, epoch }) => [step, epoch])).toEqual([1, 2, 3].map((step) => [step, 2]));
    expect([entered.length, settled]).toEqual([3, [2, 2, 2]]);
  });

  it('names its own attempt as the fence of all that it writes', async () => {
    const tokens: string[] = [];
    const { play, fences, commands } = fakeSlice({
      executeCommand: asksAt(2),
      nextAction: async (_, fence) => {
        tokens.push(fence.token);
        return { kind: 'action', endReason: null, ms: TURN_MS };
      },
    });
    await play({}, 3);
    expect(fences).toEqual(['chain/00000001/000003']);
    expect(new Set([...tokens, ...commands.map(({ fence }) => fence)])).toEqual(new Set(fences));
  });

  it('hands what it recorded to the next part of the step, once', async () => {
    const given: unknown[] = [];
    const { play } = fakeSlice({
      nextAction: async ({ step, before }) => {
        given.push(['turn', step, before?.step]);
        // Adopted from another attempt, which recorded the action of step 2.
        const decided = { response: `r${step}`, action: `a${step}`, modelMs: TURN_MS };
        return { kind: 'action', endReason: null, ms: TURN_MS, ...(step === 2 ? {} : { decided }) };
      },
      executeCommand: async (args, signal, decided) => {
        given.push(['command', args.step, decided?.action]);
        const shown = {
          step: args.step,
          response: '',
          action: '',
          modelMs: 0,
          observation: '',
          exitCode: 0,
          executedMs: 0,
        };
        const outcome = await asksAt(3)(args, signal);
        return { ...outcome, shown: { ...shown, timedOut: false, workingDir: '/', toolState: null } };
      },
    });
    await play();
    expect(given).toEqual([
      ['turn', 1, undefined],
      ['command', 1, 'a1'],
      ['turn', 2, 1],
      ['command', 2, undefined],
      ['turn', 3, 2],
      ['command', 3, 'a3'],
    ]);
  });

  it('ends between two steps once its time is over', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { play, commands } = fakeSlice({
      executeCommand: async (args, signal) => {
        if (args.step === 2) vi.setSystemTime(Date.now() + 31_000);
        return asksAt(9)(args, signal);
      },
    });
    expect(await play()).toMatchObject({ step: 3, end: { kind: 'more' } });
    expect(commands.map(({ step }) => step)).toEqual([1, 2]);
  });

  it('takes one step however late it is', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { play, commands } = fakeSlice({
      nextAction: async () => {
        vi.setSystemTime(Date.now() + 31_000);
        return { kind: 'action', endReason: null, ms: TURN_MS };
      },
    });
    expect(await play()).toMatchObject({ step: 2, end: { kind: 'more' } });
    expect(commands.map(({ step }) => step)).toEqual([1]);
  });

  it('leaves a turn that outlasts it under way, for the next activity on this worker', async () => {
    const { work, begun, aborted } = endless();
    const { play, turns } = fakeSlice({ sliceMs: BRIEF_MS, nextAction: (_at, _fence, signal) => work(signal) });
    const played = play();
    await begun;
    expect(await played).toEqual({ step: 1, elapsedMs: 0, end: { kind: 'turn', here: true, afterMs: 0 } });
    expect(await play()).toMatchObject({ end: { kind: 'turn' } });
    expect([turns, aborted]).toEqual([[1], []]);
  });

  it('leaves a command that outlasts it to an activity with the same time limit', async () => {
    const { work } = endless();
    const { play, settled, commands } = fakeSlice({ sliceMs: BRIEF_MS, executeCommand: (_, signal) => work(signal) }, [
      recordedStep(1, { executed: false }),
    ]);
    expect(await play({ commandSeconds: 90 })).toEqual({
      ...{ step: 1, elapsedMs: 0, end: { kind: 'command', timeLimitSeconds: 90, afterMs: 0 } },
    });
    expect(settled).toEqual(commands.map(() => null));
  });

  it('says why the container is lost, in a few words', async () => {
    const { play, settled } = fakeSlice({
      executeCommand: () => Promise.reject(new SandboxLost(`gone ${'!'.repeat(400)}`)),
    });
    const { step, end } = await play();
    expect([step, end.kind, end.kind === 'lost' && end.because.length]).toEqual([1, 'lost', 300]);
    expect(settled).toEqual([null]);
  });

  it('ends at the step limit, and when commands and models have used up the time', async () => {
    const { play } = fakeSlice();
    expect(await play({ maxSteps: 2 })).toMatchObject({ step: 3, end: { kind: 'ending', reason: 'max_steps' } });
    expect(await play({ wallSeconds: 1, elapsedMs: 1000 - 2 * STEP_MS })).toMatchObject({
      ...{ step: 3, end: { kind: 'ending', reason: 'wall_time' } },
    });
  });
});

describe('what a slice finds in the record', () => {
  it('is behind it: turns and commands of those steps are not repeated', async () => {
    const { play, turns, commands } = fakeSlice(
      { executeCommand: asksAt(4) },
      [1, 2, 3].map((n) => recordedStep(n)),
    );
    expect(await play()).toMatchObject({ step: 4, elapsedMs: 4 * STEP_MS, end: { kind: 'evaluate' } });
    expect([turns, commands.map(({ step }) => step)]).toEqual([[4], [4]]);
  });

  it('has an action without its outcome: only the command is executed', async () => {
    const recorded = [recordedStep(1), recordedStep(2, { executed: false })];
    const { play, turns, commands } = fakeSlice({ executeCommand: asksAt(2) }, recorded);
    expect(await play()).toMatchObject({ step: 2, elapsedMs: 2 * STEP_MS });
    expect([turns, commands.map(({ step }) => step)]).toEqual([[], [2]]);
  });

  it.each(['validate', 'submit'] as const)('has a %s, which is due', async (requested) => {
    const { play, turns, commands } = fakeSlice({}, [recordedStep(1), recordedStep(2, { requested })]);
    expect(await play()).toEqual({ step: 2, elapsedMs: 2 * STEP_MS, end: { kind: 'evaluate', requested } });
    expect([turns, commands]).toEqual([[], []]);
  });

  it('has a step without an action: the run ends', async () => {
    const { play } = fakeSlice({}, [recordedStep(1, { executed: false, hasAction: false })]);
    expect(await play()).toMatchObject({ step: 1, end: { kind: 'ending', reason: 'format' } });
  });

  it('is of another attempt that has taken over: nothing is begun', async () => {
    const superseded = new Superseded('another attempt');
    const { play, turns, commands } = fakeSlice({ store: { takeOver: () => Promise.reject(superseded) } });
    await expect(play()).rejects.toThrow(superseded);
    expect([turns, commands]).toEqual([[], []]);
  });
});

describe('on a host that leaves a slice', () => {
  it('keeps the workspace as it is after the last command, and hands the run on', async () => {
    const slice = fakeSlice({
      executeCommand: async (args, signal) => {
        slice.departure.begun = args.step === 2;
        return asksAt(9)(args, signal);
      },
    });
    await expect(slice.play()).rejects.toThrow(HostLeft);
    expect([slice.kept, slice.turns]).toEqual([[2], [1, 2]]);
  });

  it('keeps nothing while the command of a decided step may be running', async () => {
    const slice = fakeSlice({}, [recordedStep(1, { executed: false })]);
    slice.departure.begun = true;
    await expect(slice.play()).rejects.toThrow(HostLeft);
    expect([slice.kept, slice.commands]).toEqual([[], []]);
  });

  it('hands the run on when its worker is stopped in the middle of a command', async () => {
    const { work, begun } = endless();
    const slice = fakeSlice({ executeCommand: (_, signal) => work(signal) });
    const played = slice.play();
    played.catch(() => undefined);
    await begun;
    slice.departure.begun = true;
    slice.stop.abort(new CancelledFailure('WORKER_SHUTDOWN'));
    await expect(played).rejects.toThrow(HostLeft);
    expect(slice.kept).toEqual([]);
  });

  it('takes its time for a snapshot that is being made', async () => {
    let finish = (): void => undefined;
    const slice = fakeSlice({
      executeCommand: async (args, signal) => {
        slice.departure.begun = true;
        return asksAt(9)(args, signal);
      },
      snapshot: () => new Promise((resolve) => (finish = resolve)),
    });
    const played = slice.play({ snapshotEvery: 1 });
    played.catch(() => undefined);
    await vi.waitFor(() => expect(slice.snapshots).toHaveLength(1));
    expect(slice.kept).toEqual([]);
    finish();
    await expect(played).rejects.toThrow(HostLeft);
    expect(slice.kept).toEqual([1]);
  });
});

describe('a deadline', () => {
  it('that has passed ends the run before its next turn', async () => {
    const { play, turns } = fakeSlice();
    expect(await play({ endsBy: Date.now() - 1 })).toMatchObject({ end: { kind: 'ending', reason: 'deadline' } });
    expect(turns).toEqual([]);
  });

  it('ends the run in the middle of a turn, which is given up', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { work, aborted } = endless();
    const { play } = fakeSlice({ nextAction: (_at, _fence, signal) => work(signal) });
    const { end } = await play({ endsBy: Date.now() + BRIEF_MS });
    expect(end).toEqual({ kind: 'ending', reason: 'deadline' });
    expect(aborted).toMatchObject([{ name: 'DeadlineReached' }]);
  });

  it('limits the time of a command', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { play, commands } = fakeSlice({ executeCommand: asksAt(1) });
    await play({ endsBy: Date.now() + 12_000, commandSeconds: 60 });
    expect(commands.map(({ timeLimitSeconds }) => timeLimitSeconds)).toEqual([12]);
  });
});

describe('a slice that is given up', () => {
  it.each(['CANCELLED', 'WORKER_SHUTDOWN', 'TIMED_OUT'])('(%s) gives up waiting for its command', async (why) => {
    const { work, begun, aborted } = endless();
    const slice = fakeSlice({ executeCommand: (_, signal) => work(signal) });
    const played = slice.play();
    played.catch(() => undefined);
    await begun;
    slice.stop.abort(new CancelledFailure(why));
    await expect(played).rejects.toThrow(why);
    expect(aborted).toEqual([slice.stop.signal.reason]);
  });

  it('waits no longer for a model that is to be asked later', async () => {
    const slice = fakeSlice({ nextAction: async () => ({ kind: 'wait', endReason: null, ms: 0, waitMs: 20_000 }) });
    const played = slice.play();
    played.catch(() => undefined);
    await vi.waitFor(() => expect(slice.turns).toEqual([1]));
    slice.stop.abort(new CancelledFailure('CANCELLED'));
    await expect(played).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('what fails in a slice', () => {
  it('is tried again by an activity of its own', async () => {
    const failing = () => Promise.reject(new InfrastructureError('the engine is away'));
    expect((await fakeSlice({ executeCommand: failing }).play()).end).toEqual({
      ...{ kind: 'command', timeLimitSeconds: 60, afterMs: 500 },
    });
    expect((await fakeSlice({ nextAction: failing }).play()).end).toEqual({ kind: 'turn', here: true, afterMs: 500 });
  });

  it('is tried again after the pause that a provider asks for', async () => {
    const busy = new ProviderError('rate_limited', 'openai', 'too many requests', { retryAfterMs: 12_345 });
    const { end } = await fakeSlice({ nextAction: () => Promise.reject(busy) }).play();
    expect(end).toEqual({ kind: 'turn', here: true, afterMs: 12_345 });
  });

  it.each([new Unrecoverable('no retry helps'), new Superseded('another attempt has taken over')])(
    'fails it where no retry here can help: $name',
    async (error) => {
      await expect(fakeSlice({ nextAction: () => Promise.reject(error) }).play()).rejects.toThrow(error);
      await expect(fakeSlice({ executeCommand: () => Promise.reject(error) }).play()).rejects.toThrow(error);
    },
  );
});

describe('a snapshot in a slice', () => {
  it('is complete before the next command starts, and the model thinks meanwhile', async () => {
    const order: string[] = [];
    let finish = (): void => undefined;
    const slice = fakeSlice({
      nextAction: async ({ step }) => {
        order.push(`turn ${step}`);
        return { kind: 'action', endReason: null, ms: TURN_MS };
      },
      executeCommand: (args, signal) => {
        order.push(`command ${args.step}`);
        return asksAt(3)(args, signal);
      },
      snapshot: ({ step, reason }) => {
        order.push(`${reason} ${step}`);
        return new Promise((resolve) => (finish = () => resolve(void order.push(`kept ${step}`))));
      },
    });
    const played = slice.play({ snapshotEvery: 2 });
    await vi.waitFor(() => expect(order).toContain('turn 3'));
    expect(order).not.toContain('command 3');
    finish();
    expect((await played).end.kind).toBe('evaluate');
    expect(order).toEqual([
      ...['turn 1', 'command 1', 'turn 2', 'command 2', 'interval 2', 'turn 3', 'kept 2', 'command 3'],
    ]);
  });

  it('after a validation is that of the step before, and its failure is no matter of the run', async () => {
    const slice = fakeSlice({ executeCommand: asksAt(5), snapshot: () => Promise.reject(new Error('no room')) });
    expect(await slice.play({ step: 5, keep: 'validate' })).toMatchObject({ step: 5, end: { kind: 'evaluate' } });
    expect(slice.snapshots).toEqual([
      { runId: 'r-test', step: 4, epoch: 2, reason: 'validate', fence: 'chain/00000001/000001' },
    ]);
  });

  it.each(['executed', 'open'])('is not taken by an attempt that finds the next step %s', async (state) => {
    const next = {
      step: 5,
      hasAction: true,
      executed: state === 'executed',
      requested: null,
      modelMs: 1,
      commandMs: 1,
    };
    const slice = fakeSlice({ executeCommand: asksAt(6) }, [next]);
    expect(await slice.play({ step: 5, keep: 'validate' }, 2)).toMatchObject({ step: 6, end: { kind: 'evaluate' } });
    expect(slice.snapshots).toEqual([]);
  });

  it('is complete before the slice is over', async () => {
    let kept = false;
    const slice = fakeSlice({
      snapshot: () => new Promise((resolve) => setTimeout(() => resolve(void (kept = true)), BRIEF_MS)),
    });
    await slice.play({ maxSteps: 1, snapshotEvery: 1 });
    expect(kept).toBe(true);
  });
});

describe('a turn', () => {
  it('of a model that another worker calls is an activity there', async () => {
    const { play, turns } = fakeSlice({ callsModel: () => false });
    expect((await play()).end).toEqual({ kind: 'turn', here: false, afterMs: 0 });
    expect(turns).toEqual([]);
  });

  it('that is answered from outside ends the slice, with the time that is left for it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { play } = fakeSlice({ nextAction: async () => ({ kind: 'asked', endReason: null, ms: 0, try: 2 }) });
    expect((await play()).end).toEqual({ kind: 'asked', try: 2, deadlineMs: null });
    expect((await play({ endsBy: Date.now() + 9_000 })).end).toEqual({ kind: 'asked', try: 2, deadlineMs: 9_000 });
  });

  it('that waits briefly stays in the slice; a long wait is the workflow’s', async () => {
    let asked = 0;
    const { play, turns } = fakeSlice({
      nextAction: async () =>
        ++asked === 1
          ? { kind: 'wait', endReason: null, ms: 0, waitMs: 1 }
          : { kind: 'wait', endReason: null, ms: 0, waitMs: 60_000 },
    });
    expect((await play()).end).toEqual({ kind: 'wait', waitMs: 60_000 });
    expect(turns).toEqual([1, 1]);
  });

  it('that ends the run says why', async () => {
    const { play } = fakeSlice({ nextAction: async () => ({ kind: 'end', endReason: 'context', ms: 0 }) });
    expect((await play()).end).toEqual({ kind: 'ending', reason: 'context' });
  });
});
