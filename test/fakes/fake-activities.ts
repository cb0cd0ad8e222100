import { ApplicationFailure } from '@temporalio/common';
import { FAILURE } from '../../domain/messages.js';
import type {
  ControlActivities,
  EvaluateArgs,
  ExecuteCommandArgs,
  HostActivities,
  Lease,
  ModelActivities,
  PlacementActivities,
  StartContainerArgs,
} from '../../domain/messages.js';
import type { RunEnd, RunTicket } from '../../domain/run.js';

/** Activities that remember what the workflows asked for; tests script what each step comes to. */
export class FakeActivities {
  readonly ends = new Map<string, RunEnd>();
  readonly commands: ExecuteCommandArgs[] = [];
  readonly evaluations: EvaluateArgs[] = [];
  readonly starts: StartContainerArgs[] = [];
  readonly stopped: string[] = [];
  readonly recorded: { runId: string; lease: Lease }[] = [];
  readonly released: { runId: string; token: number | null }[] = [];
  readonly batches: { batchId: string; cancelled: boolean }[] = [];
  tickets: RunTicket[] = [];
  requestLease: ControlActivities['requestLease'] = async () => undefined;
  onNextAction: (runId: string, step: number) => ReturnType<ModelActivities['nextAction']> = async () => ({
    kind: 'action',
    endReason: null,
    ms: 1,
  });
  onCommand: (args: ExecuteCommandArgs) => ReturnType<HostActivities['executeCommand']> = async () => ({
    requested: null,
    exitCode: 0,
    timedOut: false,
    ms: 1,
  });
  closed: (runIds: string[]) => Promise<string[]> = async () => [];
  onStart: (args: StartContainerArgs) => Promise<void> = async () => undefined;
  onReleased: (runId: string, token: number | null) => Promise<void> = async () => undefined;

  control(): ControlActivities {
    return {
      loadShard: async ({ batchId }) =>
        this.tickets.filter((ticket) => ticket.batchId === batchId && !this.ends.has(ticket.runId)),
      startBatch: async () => undefined,
      finishBatch: async (args) => void this.batches.push(args),
      finishRun: async ({ runId, end }) => void this.ends.set(runId, end),
      waitingForGpu: async () => undefined,
      requestLease: (request) => this.requestLease(request),
      recordLease: async (args) => void this.recorded.push(args),
      releaseLease: async ({ runId, token }) => {
        this.released.push({ runId, token });
        await this.onReleased(runId, token);
      },
      closedRuns: ({ runIds }) => this.closed(runIds),
      runEnded: async ({ runId }) => this.ends.has(runId),
      shardEnded: async ({ batchId }) =>
        this.tickets.every((ticket) => ticket.batchId !== batchId || this.ends.has(ticket.runId)),
    };
  }
  placement(hostId: string): PlacementActivities {
    return { place: async () => hostId };
  }
  host(): HostActivities {
    return {
      startContainer: async (args) => {
        this.starts.push(args);
        await this.onStart(args);
      },
      stopContainer: async ({ runId }) => void this.stopped.push(runId),
      executeCommand: (args) => {
        this.commands.push(args);
        return this.onCommand(args);
      },
      evaluate: async (args) => {
        this.evaluations.push(args);
        return { status: 'ok', primary: 1, ms: 1 };
      },
    };
  }
  model(): ModelActivities {
    return { nextAction: ({ runId, step }) => this.onNextAction(runId, step) };
  }
}

export const sandboxLost = (): ApplicationFailure =>
  ApplicationFailure.create({ type: FAILURE.sandboxLost, nonRetryable: true, message: 'the container is gone' });
export const configFailure = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ type: FAILURE.config, nonRetryable: true, message });
