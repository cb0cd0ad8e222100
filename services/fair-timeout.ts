import { readdirSync, readFileSync } from 'node:fs';

/** What a thread has had so far, in nanoseconds. */
export interface ThreadTime {
  ran: number;
  /** Ready to run, while other processes had the CPUs. */
  waited: number;
  /** It is ready to run, or waits for a disk, as it is looked at. */
  busy: boolean;
}

/** By thread id; null: gone, or not readable. */
export type ReadThreads = () => ReadonlyMap<number, ThreadTime> | null;

const LOOK_MS = 500;
/** However loaded the machine, at least one second in this many counts. */
const SMALLEST_SHARE = 1 / 60;

/**
 * A time limit for a process, in seconds that it could have used. Time in which it waited for a CPU counts only as the share that
 * it got; time in which it wanted none counts in full. So a slow process on a loaded machine gets the time it needs, and one that
 * hangs is detected equally fast on any machine.
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

  /** Something happened: count from here. */
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

/** The part of `elapsedMs` that the process could have used, without its threads' waits for CPUs. */
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
  // It got a share of the time in which it wanted CPUs; the rest it slept.
  const wanting = Math.min(1, (ran + waited) / 1e6 / elapsedMs);
  return Math.max(SMALLEST_SHARE, 1 - wanting * (waited / (ran + waited)));
}

/** The threads of a process and of all that it started. */
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
