import type { BatchRequestInput } from '../requests/batch.js';
import type { Overlap } from '../requests/schedule.js';
import type { GateOutcome } from '../statistics/gate.js';
import type { ScheduleRun } from '../views/schedules.js';

export interface StoredSchedule {
  name: string;
  cron: string;
  overlap: Overlap;
  request: BatchRequestInput;
  paused: boolean;
  /** As Temporal last said; null: never, or paused. */
  nextAt: string | null;
  createdAt: string;
}

/** One time of a schedule. */
export interface DueRun {
  request: BatchRequestInput;
  /** Stored for this time since the schedule was made; null: none. */
  batchId: string | null;
  decided: boolean;
  /** The accepted batch of the latest earlier time; null: none. */
  base: string | null;
}

export interface RunDecision {
  outcome: GateOutcome;
  accepted: boolean;
  base: string | null;
  detail: string;
}

/** Rows are the truth; Temporal's schedules follow them. `dueAt` is ISO 8601 in UTC. */
export interface Schedules {
  /** BenchError (conflict): the name is taken. */
  save(schedule: Pick<StoredSchedule, 'name' | 'cron' | 'overlap' | 'request'>): Promise<StoredSchedule>;
  /** By name. */
  list(): Promise<StoredSchedule[]>;
  /** BenchError (not_found), as the verbs below. */
  find(name: string): Promise<StoredSchedule>;
  setNext(name: string, nextAt: string | null): Promise<void>;
  setPaused(name: string, paused: boolean): Promise<void>;
  /** With its runs' outcomes; batches stay. */
  remove(name: string): Promise<void>;
  /** The last ones first. */
  runs(name: string, limit: number): Promise<ScheduleRun[]>;
  /** Null: there is no such schedule any more. */
  due(name: string, dueAt: string): Promise<DueRun | null>;
  /** Both write once. */
  begin(name: string, dueAt: string, batchId: string): Promise<void>;
  decide(name: string, dueAt: string, decision: RunDecision): Promise<void>;
  /** Later ones are compared with its last batch. BenchError (usage): none has been compared. */
  acceptLast(name: string): Promise<void>;
}
