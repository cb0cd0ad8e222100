import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { sliceActivities, type SlicePorts } from '../../../activities/play-steps.js';
import { TurnsUnderWay } from '../../../activities/turns-under-way.js';
import type { ExecuteCommandArgs, PlayStepsArgs, SliceResult, SnapshotArgs } from '../../../domain/model/messages.js';
import type { Departure } from '../../../domain/ports/departure.js';
import { STAYS } from '../../../domain/ports/departure.js';
import type { RecordedStep } from '../../../domain/ports/record/steps.js';

export const TURN_MS = 5;
export const COMMAND_MS = 7;

export interface FakeSlice {
  ports: SlicePorts;
  /** Steps whose turn was begun. */
  turns: number[];
  commands: ExecuteCommandArgs[];
  snapshots: SnapshotArgs[];
  fences: string[];
  /** What the host counted: runs that entered, and the epochs that were settled. */
  entered: string[];
  settled: (number | null)[];
  kept: number[];
  departure: Departure & { begun: boolean };
  /** Aborts the activity as Temporal does. */
  stop: AbortController;
  play: (over?: Partial<PlayStepsArgs>, attempt?: number) => Promise<SliceResult>;
}

/** A slice whose turns and commands take no time, unless `over` says otherwise. */
export function fakeSlice(over: Partial<SlicePorts> = {}, recorded: RecordedStep[] = []): FakeSlice {
  const stop = new AbortController();
  const made: Omit<FakeSlice, 'ports' | 'play' | 'departure'> = {
    ...{ turns: [], commands: [], snapshots: [], fences: [], entered: [], settled: [], kept: [], stop },
  };
  const departure = {
    ...STAYS,
    begun: false,
    enter: (runId: string) => void made.entered.push(runId),
    leave: (_: string, epoch: number | null) => void made.settled.push(epoch),
    keep: async ({ step }: { step: number }) => void made.kept.push(step),
  };
  const ports: SlicePorts = {
    store: {
      takeOver: async ({ from, fence }) => {
        made.fences.push(fence);
        return recorded.filter(({ step }) => step >= from);
      },
    },
    departure,
    turns: new TurnsUnderWay(),
    callsModel: () => true,
    nextAction: async () => ({ kind: 'action', endReason: null, ms: TURN_MS }),
    executeCommand: async () => ({ requested: null, exitCode: 0, timedOut: false, ms: COMMAND_MS }),
    snapshot: async () => undefined,
    answerWithin: async () => false,
    ...over,
  };
  const noted: SlicePorts = {
    ...ports,
    nextAction: (at, ...more) => {
      made.turns.push(at.step);
      return ports.nextAction(at, ...more);
    },
    executeCommand: (args, ...more) => {
      made.commands.push(args);
      return ports.executeCommand(args, ...more);
    },
    snapshot: (args, signal) => {
      made.snapshots.push(args);
      return ports.snapshot(args, signal);
    },
  };
  const play: FakeSlice['play'] = (given = {}, attempt = 1) => {
    const context = { cancellationSignal: stop.signal, info: { attempt } } as unknown as Context;
    return asyncLocalStorage.run(context, () => sliceActivities(noted).playSteps({ ...ARGS, ...given }));
  };
  return { ...made, departure, ports: noted, play };
}

const ARGS: PlayStepsArgs = {
  ...{ runId: 'r-test', epoch: 2, step: 1, maxSteps: 50, provider: 'scripted', snapshotEvery: 0 },
  ...{ commandSeconds: 60, wallSeconds: 0, elapsedMs: 0, endsBy: null, fence: 'chain/00000001' },
};

/** What the record has of a step, executed unless `over` says otherwise. */
export const recordedStep = (step: number, over: Partial<RecordedStep> = {}): RecordedStep => ({
  ...{ step, hasAction: true, executed: true, requested: null, modelMs: TURN_MS, commandMs: COMMAND_MS },
  ...over,
});

/** Commands of which the one at this step asks for an evaluation. */
export const asksAt =
  (last: number, requested: 'validate' | 'submit' = 'submit'): SlicePorts['executeCommand'] =>
  async ({ step }) => ({
    ...{ requested: step === last ? requested : null, exitCode: 0, timedOut: false, ms: COMMAND_MS },
  });

/** Work that ends only when it is aborted, and what it was aborted with. */
export function endless(): {
  work: (signal: AbortSignal) => Promise<never>;
  begun: Promise<void>;
  aborted: unknown[];
} {
  const aborted: unknown[] = [];
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const work = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      const abort = (): void => {
        aborted.push(signal.reason);
        reject(signal.reason as Error);
      };
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
      begin();
    });
  return { work, begun, aborted };
}
