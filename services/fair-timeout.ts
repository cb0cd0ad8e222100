import { readdirSync, readFileSync } from 'node:fs';

/** CPU use of a thread, in nanoseconds. */
export interface ThreadTime {
  ran: number;
  /** Ready to run, while other processes had the CPUs. */
  waited: number;
  /** Ready to run, or waiting for a disk, at this moment. */
  busy: boolean;
}

/** By thread id; null: gone, or not readable. */
export type ReadThreads = () => ReadonlyMap<number, ThreadTime> | null;

const LOOK_MS = 500;
/** At least one second in this many counts, however loaded the machine. */
const SMALLEST_SHARE = 1 / 60;

/**
 * A time limit in seconds that a process could have used: time waiting for a CPU counts only by the
 * share it got. Slow processes get the time they need on a loaded machine; hangs are found as fast.
 */
export class FairTimeout {
  private spentMs = 0;
  private looked: number;
  private threads: ReturnType<ReadThreads>;

  constructor(
    private readonly limitMs: number,
    private readonly read: ReadThreads,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.looked = now();
    this.threads = read();
  }

  renew(): void {
    this.look();
    this.spentMs = 0;
  }

  isOver(): boolean {
    if (this.now() - this.looked >= LOOK_MS) this.look();
    return this.spentMs > this.limitMs;
  }

  private look(): void {
    const now = this.now();
    const threads = this.read();
    this.spentMs += (now - this.looked) * share(this.threads, threads, now - this.looked);
    this.looked = now;
    this.threads = threads;
  }
}

/** The share of `elapsedMs` that the process could have used. */
function share(before: ReturnType<ReadThreads>, after: ReturnType<ReadThreads>, elapsedMs: number): number {
  if (before === null || after === null) return 1;
  let ran = 0;
  let waited = 0;
  let starved = false;
  for (const [id, thread] of after) {
    const { ran: ranBefore, waited: waitedBefore } = before.get(id) ?? { ran: 0, waited: 0 };
    ran += thread.ran - ranBefore;
    waited += thread.waited - waitedBefore;
    // A wait in progress is not in the numbers yet.
    starved ||= thread.busy && thread.ran === ranBefore;
  }
  if (starved) return SMALLEST_SHARE;
  if (ran + waited <= 0) return 1;
  // It got a share of the time in which it wanted CPUs, and slept otherwise.
  const wanting = Math.min(1, (ran + waited) / 1e6 / elapsedMs);
  return Math.max(SMALLEST_SHARE, 1 - wanting * (waited / (ran + waited)));
}

export function readThreads(pid: number): ReturnType<ReadThreads> {
  const threads = new Map<number, ThreadTime>();
  const pending = [pid];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    try {
      for (const id of readdirSync(`/proc/${next}/task`).map(Number)) {
        const directory = `/proc/${next}/task/${id}`;
        const [ran = 0, waited = 0] = readFileSync(`${directory}/schedstat`, 'utf8').split(' ').map(Number);
        const stat = readFileSync(`${directory}/stat`, 'utf8');
        threads.set(id, { ran, waited, busy: /^[RD]/.test(stat.slice(stat.lastIndexOf(')') + 2)) });
        pending.push(...readFileSync(`${directory}/children`, 'utf8').split(' ').filter(Boolean).map(Number));
      }
    } catch {
      // It ended meanwhile.
    }
  }
  return threads.size === 0 ? null : threads;
}
