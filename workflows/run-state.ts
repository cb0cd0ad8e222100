import { workflowInfo } from '@temporalio/workflow';
import type { CarriedRun, RunPlace, RunProgress } from '../domain/model/messages.js';
import type { RunTicket } from '../domain/run/run.js';

/** After this many lost containers the run ends as infra_error. */
export const MAX_EPOCHS = 10;
/** Hosts that leave as announced are no fault; but a run that never gets anywhere ends, too. */
const MOST_HANDED_ON = 1000;

/** Activities of one history: about ten events each at most, where Temporal suggests a fresh history at 4,096. */
export const TURNS_PER_HISTORY = 250;

/** The random part of an execution's id: what is before it is a time. */
const EXECUTION_DIGITS = 12;
const TURN_DIGITS = 8;

/** What a run's workflow knows of its run: all of it comes from the ticket and from results of activities. */
export class RunState {
  progress: RunProgress;
  /** Null: it waits for one. */
  place: RunPlace | null;
  /** Moves from hosts that left as announced: they count as no loss. */
  handedOn: number;
  /** The host that left last, until the run has a place again. */
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

  /** The host that plays it. Throws where there is none: its callers run on one. */
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

  /** Time for a fresh history, decided by our own count: it is the same whenever the history is replayed. */
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
