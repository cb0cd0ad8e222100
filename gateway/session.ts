import { randomUUID } from 'node:crypto';
import type { Program } from '../domain/agent/program.js';
import type { Json } from '../domain/gateway/json.js';
import type { SplitRequest } from '../domain/gateway/request-parts.js';
import type { EndReason } from '../domain/run/outcomes.js';
import type { GatewayPort } from '../domain/ports/gateway-port.js';
import type { MeteredCalls } from '../domain/ports/metered-calls.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { ProgramLog } from '../domain/ports/record/program-log.js';
import type { StepLog } from '../domain/ports/record/steps.js';
import type { RunDefinition } from '../domain/run/run.js';
import { type Bodies, bodiesOfAll, bodiesOfRun } from './bodies.js';

export interface SessionParts {
  run: RunDefinition;
  program: Program;
  epoch: number;
  token: string;
  store: ProgramLog & EventLog & Pick<StepLog, 'saveAction'>;
  calls: MeteredCalls;
  /** Shared by all runs of this worker. */
  bodies?: Bodies;
  perSecond?: number;
}

/** A request's place, from before its body is read to its answer. */
export interface Place {
  hasRoom(bytes: number): boolean;
  take(bytes: number): boolean;
  leave(): void;
}

/** Failures of one request, and a run's requests in a second. */
const MOST_FAULTS = 6;
const PER_SECOND = 20;
/** As a multiple of calls: some requests wait, or are read. */
const REQUESTS_PER_CALL = 2;

interface Orphan {
  step: number;
  answer: Promise<Json | null>;
}

export class GatewaySession implements GatewayPort {
  /** Why no further call is made. */
  limit: EndReason | null = null;
  /** Our fault, such as a refused key: the run cannot continue. */
  fatal: Error | null = null;
  /** The last call failed, through no fault of the program's. */
  lastFault: Error | null = null;
  private refusals = 0;
  private firstRefusal = 0;
  private underWay = 0;
  private whenSettled: (() => void)[] = [];
  private requests = 0;
  private readonly bodies: Bodies;
  /** Hashes of parts of requests that the record has. */
  private readonly kept = new Set<string>();
  private readonly faults = new Map<string, number>();
  private readonly orphans = new Map<string, Orphan[]>();
  private recent: number[] = [];
  private readonly source = randomUUID();
  private waiting = 0;
  /** Since when all calls wait; null: one is answered, or there is none. */
  private allWaitSince: number | null = null;
  private waitedMs = 0;
  private readonly wakes: (() => void)[] = [];

  constructor(readonly parts: SessionParts) {
    this.bodies = bodiesOfRun(parts.bodies ?? bodiesOfAll());
  }

  mustStop(): Promise<void> {
    if (this.limit !== null || this.fatal !== null) return Promise.resolve();
    return new Promise((resolve) => void this.wakes.push(resolve));
  }

  reach(limit: EndReason): void {
    this.limit ??= limit;
    this.wakes.splice(0).forEach((wake) => wake());
  }

  fail(error: Error): void {
    this.fatal ??= error;
    this.wakes.splice(0).forEach((wake) => wake());
  }

  refused(): void {
    if (this.refusals === 0) this.firstRefusal = performance.now();
    this.refusals += 1;
  }

  get limitAnswers(): GatewayPort['limitAnswers'] {
    if (this.refusals === 0) return null;
    return { refusals: this.refusals, secondsAgo: (performance.now() - this.firstRefusal) / 1000 };
  }

  /** Null: too many requests now, or in the last second. */
  admit(): Place | null {
    const { program, perSecond = PER_SECOND } = this.parts;
    const now = performance.now();
    this.recent = this.recent.filter((at) => now - at < 1000);
    if (this.recent.length >= perSecond || this.requests >= REQUESTS_PER_CALL * program.callsInFlight) return null;
    this.recent.push(now);
    this.requests += 1;
    let taken = 0;
    const { bodies } = this;
    return {
      hasRoom: (bytes) => bodies.hasRoom(bytes),
      take(bytes) {
        const there = bodies.take(bytes);
        if (there) taken += bytes;
        return there;
      },
      leave: () => {
        bodies.give(taken);
        this.requests -= 1;
      },
    };
  }

  /** Null: too many calls are in flight. */
  enter(): (() => void) | null {
    if (this.underWay >= this.parts.program.callsInFlight) return null;
    this.underWay += 1;
    this.count();
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.underWay -= 1;
      this.count();
      if (this.underWay === 0) this.whenSettled.splice(0).forEach((tell) => tell());
    };
  }

  async waits<T>(work: Promise<T>): Promise<T> {
    this.waiting += 1;
    this.count();
    try {
      return await work;
    } finally {
      this.waiting -= 1;
      this.count();
    }
  }
  get waited(): GatewayPort['waited'] {
    this.count();
    return { source: this.source, seconds: this.waitedMs / 1000, still: this.allWaitSince !== null };
  }
  private count(): void {
    const now = performance.now();
    if (this.allWaitSince !== null) this.waitedMs += now - this.allWaitSince;
    this.allWaitSince = this.waiting > 0 && this.waiting >= this.underWay ? now : null;
  }

  /** Only parts that the record may lack: each call repeats its conversation. */
  newParts({ request, parts }: SplitRequest): SplitRequest {
    return { request, parts: new Map([...parts].filter(([hash]) => !this.kept.has(hash))) };
  }
  keep({ parts }: SplitRequest): void {
    for (const hash of parts.keys()) this.kept.add(hash);
  }

  get token(): string {
    return this.parts.token;
  }

  settled(): Promise<void> {
    if (this.underWay === 0) return Promise.resolve();
    return new Promise((resolve) => void this.whenSettled.push(resolve));
  }

  mayTry(fingerprint: string): boolean {
    return (this.faults.get(fingerprint) ?? 0) < MOST_FAULTS;
  }
  failed(fingerprint: string, error: Error): void {
    this.lastFault = error;
    this.faults.set(fingerprint, (this.faults.get(fingerprint) ?? 0) + 1);
  }
  answered(fingerprint: string): void {
    this.lastFault = null;
    this.faults.delete(fingerprint);
  }

  orphan(fingerprint: string, orphan: Orphan): void {
    this.orphans.set(fingerprint, [...(this.orphans.get(fingerprint) ?? []), orphan]);
  }
  /** Answers that wait for a repeated request. */
  get orphaned(): number {
    return [...this.orphans.values()].reduce((sum, list) => sum + list.length, 0);
  }
  adopt(fingerprint: string): Orphan | undefined {
    return this.orphans.get(fingerprint)?.shift();
  }
}
