import { workflowInfo } from '@temporalio/workflow';
import type { CarriedRun, RunPlace, RunProgress } from '../domain/model/messages.js';
import type { RunTicket } from '../domain/run/run.js';

/** Then the run ends as infra_error. */
export const MAX_EPOCHS = 10;
/** Announced departures are no fault, but a run that gets nowhere must end. */
const MOST_HANDED_ON = 1000;

/** About ten events each; Temporal suggests a fresh history at 4,096. */
export const TURNS_PER_HISTORY = 250;

/** The random part of an execution's id, after a time. */
const EXECUTION_DIGITS = 12;
const TURN_DIGITS = 8;

/** All of it comes from the ticket and from results of activities. */
export class RunState {
  progress: RunProgress;
  /** Null: it waits for one. */
  place: RunPlace | null;
  /** Moves from hosts that left as announced, which are not losses. */
  handedOn: number;
  /** The host that left last, until a container has started elsewhere. */
  handedOnBy: string | undefined;
  #turns: number;
  readonly #turnsBefore: number;

  constructor(
    readonly ticket: RunTicket,
    carried: CarriedRun | null,
    private readonly turnsPerHistory: number,
  ) {
    this.progress = carried?.progress ?? { epoch: 1, step: ticket.copiedSteps + 1, elapsedMs: 0, ending: null };
    this.place = carried?.place ?? null;
    this.handedOn = carried?.handedOn ?? 0;
    this.#turnsBefore = this.#turns = carried?.turns ?? 0;
  }

  /** Throws without a place: its callers run on one. */
  get hostId(): string {
    if (this.place === null) throw new Error(`run ${this.ticket.runId} has no place`);
    return this.place.hostId;
  }

  get lastEpoch(): number {
    return MAX_EPOCHS + Math.min(this.handedOn, MOST_HANDED_ON);
  }

  get at(): { runId: string; hostId: string; epoch: number } {
    return { runId: this.ticket.runId, hostId: this.hostId, epoch: this.progress.epoch };
  }

  /** By our own count, which is the same in every replay. */
  get isLong(): boolean {
    return this.#turns - this.#turnsBefore >= this.turnsPerHistory;
  }

  /** For the next activity that writes the run's steps: see StepLog.takeOver. */
  nextFence(): string {
    this.#turns += 1;
    return `${workflowInfo().runId.slice(-EXECUTION_DIGITS)}/${String(this.#turns).padStart(TURN_DIGITS, '0')}`;
  }

  carried(lastToken: number): CarriedRun {
    const { progress, handedOn } = this;
    if (this.place === null) throw new Error(`run ${this.ticket.runId} has no place`);
    return { progress, place: this.place, lastToken, handedOn, turns: this.#turns };
  }
}
