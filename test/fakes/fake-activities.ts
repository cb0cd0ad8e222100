import { Context } from '@temporalio/activity';
import { STAYS } from '../../domain/ports/departure.js';
import { ApplicationFailure } from '@temporalio/common';
import { sliceActivities, type SlicePorts } from '../../activities/play-steps.js';
import { TurnsUnderWay } from '../../activities/turns-under-way.js';
import { FAILURE } from '../../domain/model/messages.js';
import type {
  ControlActivities,
  EvaluateArgs,
  ExecuteCommandArgs,
  HostActivities,
  Lease,
  ModelActivities,
  RunProgramArgs,
  RunProgramResult,
  NextActionResult,
  PlayStepsArgs,
  SnapshotArgs,
  StartContainerArgs,
  TakeSubmissionArgs,
  Wave,
} from '../../domain/model/messages.js';
import type { RecordedStep } from '../../domain/ports/record/steps.js';
import type { RunEnd, RunTicket } from '../../domain/run/run.js';

/** Records what workflows request; tests script the outcome of each step. */
export class FakeActivities {
  readonly ends = new Map<string, RunEnd>();
  readonly commands: ExecuteCommandArgs[] = [];
  readonly taken: TakeSubmissionArgs[] = [];
  readonly evaluations: EvaluateArgs[] = [];
  /** The state at each request for the hidden test. */
  readonly hidden: { runId: string; sandboxStopped: boolean; ended: boolean }[] = [];
  onHidden: (time: number) => ReturnType<HostActivities['evaluateHidden']> = async () => ({ more: false, final: 'ok' });
  readonly starts: StartContainerArgs[] = [];
  readonly snapshots: SnapshotArgs[] = [];
  readonly stopped: string[] = [];
  readonly recorded: { runId: string; lease: Lease }[] = [];
  readonly released: { runId: string; token: number | null }[] = [];
  readonly batches: { batchId: string; cancelled: boolean }[] = [];
  tickets: RunTicket[] = [];
  batch: { concurrency: number; paused: boolean; allocates?: boolean } = { concurrency: 2, paused: false };
  shardOf: (ticket: RunTicket) => number = () => 0;
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
  onNextAttempts: (batchId: string) => number = () => 0;
  waves: Wave[] = [];
  readonly settled: string[] = [];
  readonly closedTrees: string[] = [];
  readonly programs: RunProgramArgs[] = [];
  onProgram: (args: RunProgramArgs) => Promise<RunProgramResult> = async () => ({ kind: 'submit', step: 1, ms: 1 });
  closed: (runIds: string[]) => Promise<string[]> = async () => [];
  /** Hosts as in Postgres: the first that is not lost gets the placements. */
  hosts: { hostId: string; devices: string[] }[] = [];
  lostHosts: string[] = [];
  drained: string[] = [];
  readonly judged: { runId: string; hostId: string; epoch: number }[] = [];
  onStart: (args: StartContainerArgs) => Promise<void> = async () => undefined;
  onAbandoned: (runId: string, token: number) => Promise<void> = async () => undefined;
  onHostsChanged: () => Promise<void> = async () => undefined;
  onReleased: (runId: string, token: number | null) => Promise<void> = async () => undefined;

  control(): ControlActivities {
    return {
      loadShard: async ({ batchId, shard }) =>
        this.tickets.filter(
          (ticket) => ticket.batchId === batchId && this.shardOf(ticket) === shard && !this.ends.has(ticket.runId),
        ),
      startBatch: async () => undefined,
      batchState: async ({ batchId }) => {
        const open = this.tickets.filter((ticket) => ticket.batchId === batchId && !this.ends.has(ticket.runId));
        const shards = new Set(open.map((ticket) => this.shardOf(ticket)));
        return { ...this.batch, openShards: [...shards].sort((a, b) => a - b) };
      },
      nextAttempts: async (args) => ({ added: this.onNextAttempts(args.batchId) }),
      finishBatch: async (args) => {
        if (!args.cancelled && this.tickets.some(({ runId }) => !this.ends.has(runId))) return false;
        this.batches.push(args);
        return true;
      },
      finishRun: async ({ runId, end }) => void this.ends.set(runId, end),
      finishRuns: async ({ runIds, end }) => {
        for (const runId of runIds) if (!this.ends.has(runId)) this.ends.set(runId, end);
      },
      waitingForGpu: async () => undefined,
      requestLease: (request) => this.requestLease(request),
      placeRun: async ({ hostId, epoch }) => {
        if (hostId !== undefined && this.drained.includes(hostId))
          throw ApplicationFailure.create({ type: FAILURE.hostRefuses, nonRetryable: true, message: 'it is drained' });
        return { hostId: hostId ?? this.liveHosts()[0]?.hostId ?? '', epoch };
      },
      judgeHost: async (args) => {
        this.judged.push(args);
        return this.lostHosts.includes(args.hostId) ? 'lost' : 'keep';
      },
      recordLease: async (args) => {
        this.recorded.push(args);
        return true;
      },
      abandonLease: ({ runId, lease }) => this.onAbandoned(runId, lease.token),
      openLeases: async () => ({ leases: [], nextToken: 1 }),
      poolRound: async ({ runIds, lostTokens }) => ({
        closed: await this.closed(runIds),
        lostTokens,
        hosts: this.liveHosts()
          .filter(({ hostId }) => !this.drained.includes(hostId))
          .map((host) => ({ ...host, backends: ['docker'] })),
        liveHosts: this.liveHosts().map((host) => host.hostId),
        removedHosts: [],
      }),
      revokeLease: async () => undefined,
      releaseLease: async ({ runId, token, hostsChanged }) => {
        this.released.push({ runId, token });
        if (hostsChanged === true) await this.onHostsChanged();
        await this.onReleased(runId, token);
      },
      openNodes: async () => {
        const wave = this.waves.shift() ?? { tickets: [], ended: [] };
        return { ...wave, tickets: wave.tickets.filter(({ runId }) => !this.ends.has(runId)) };
      },
      settleNode: async ({ nodeRunId }) => void this.settled.push(nodeRunId),
      chooseNode: async () => ({ chosen: this.settled.length > 0, stopped: 'policy', lastEnd: 'submit' }),
      closeTree: async ({ runId }) => void this.closedTrees.push(runId),
      runEnded: async ({ runId }) => this.ends.has(runId),
      shardEnded: async ({ batchId, shard }) =>
        this.tickets.every(
          (ticket) => ticket.batchId !== batchId || this.shardOf(ticket) !== shard || this.ends.has(ticket.runId),
        ),
    };
  }
  liveHosts(): { hostId: string; devices: string[] }[] {
    return this.hosts.filter((host) => !this.lostHosts.includes(host.hostId));
  }
  host(): HostActivities {
    return {
      startContainer: async (args) => {
        this.starts.push(args);
        await this.onStart(args);
      },
      stopContainer: async ({ runId, end }) => {
        this.stopped.push(runId);
        if (end !== undefined) this.ends.set(runId, end);
      },
      playSteps: (args) => {
        this.slices.push(args);
        return sliceActivities(this.slicePorts()).playSteps(args);
      },
      nextAction: (args) => this.model().nextAction(args),
      executeCommand: async (args) => {
        this.commands.push(args);
        const outcome = await this.onCommand(args);
        const record = this.#recordOf(args.runId, args.step);
        Object.assign(record, { executed: true, requested: outcome.requested, commandMs: outcome.ms });
        return outcome;
      },
      runProgram: (args) => {
        this.programs.push(args);
        return this.onProgram(args);
      },
      takeSubmission: async (args) => void this.taken.push(args),
      evaluate: async (args) => {
        this.evaluations.push(args);
        return { status: 'ok', primary: 1, ms: 1 };
      },
      evaluateHidden: async ({ runId }) => {
        this.hidden.push({ runId, sandboxStopped: this.stopped.includes(runId), ended: this.ends.has(runId) });
        return this.onHidden(this.hidden.length);
      },
      snapshot: async (args) => void this.snapshots.push(args),
    };
  }
  readonly slices: PlayStepsArgs[] = [];
  /** Of a worker that calls models; false: its runs' turns go through the provider's queue. */
  callsModels = true;
  sliceMs = 30_000;
  /** In a slice; in an activity of its own, the host executes it. */
  onSliceCommand: SlicePorts['executeCommand'] = (args) => this.host().executeCommand(args);
  readonly #turns = new TurnsUnderWay();
  /** The steps as PostgreSQL would have them. */
  readonly #record = new Map<string, RecordedStep>();

  #recordOf(runId: string, step: number): RecordedStep {
    const key = `${runId}/${step}`;
    const known = this.#record.get(key) ?? {
      ...{ step, hasAction: true, executed: false, requested: null, modelMs: 0, commandMs: 0 },
    };
    this.#record.set(key, known);
    return known;
  }
  /** As with PostgreSQL: an action that is recorded is not requested again. */
  async #turn(runId: string, step: number): Promise<NextActionResult> {
    const known = this.#record.get(`${runId}/${step}`);
    if (known !== undefined) return { kind: 'action', endReason: null, ms: known.modelMs };
    const turn = await this.onNextAction(runId, step);
    if (turn.kind === 'action') this.#recordOf(runId, step).modelMs = turn.ms;
    return turn;
  }
  slicePorts(): SlicePorts {
    return {
      store: {
        takeOver: async ({ runId, from }) =>
          [...this.#record]
            .filter(([key, { step }]) => key === `${runId}/${step}` && step >= from)
            .map(([, one]) => ({ ...one }))
            .toSorted((a, b) => a.step - b.step),
      },
      departure: STAYS,
      turns: this.#turns,
      callsModel: () => this.callsModels,
      nextAction: ({ runId, step }) => this.#turn(runId, step),
      executeCommand: (args, signal) => this.onSliceCommand(args, signal),
      snapshot: (args) => this.host().snapshot(args),
      answerWithin: async () => false,
      sliceMs: this.sliceMs,
    };
  }
  model(): ModelActivities {
    return {
      nextAction: ({ runId, step, fence }) =>
        this.#turns.take({ runId, step }, fence, Context.current().cancellationSignal, () => this.#turn(runId, step)),
    };
  }
}

export const sandboxLost = (): ApplicationFailure =>
  ApplicationFailure.create({ type: FAILURE.sandboxLost, nonRetryable: true, message: 'the container is gone' });
export const configFailure = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ type: FAILURE.config, nonRetryable: true, message });
