import { readdirSync, readFileSync } from 'node:fs';

/** What a thread has had so far, in nanoseconds. */
export interface ThreadTime {
  ran: number;
  /** Ready to run, while other processes had the CPUs. */
  waited: number;
  /** It is ready to run, or waits for a disk, as it is looked at. */
  busy: boolean;
}

/** By thread id; null: gone, or not told here. */
export type ReadThreads = () => ReadonlyMap<number, ThreadTime> | null;

const LOOK_MS = 500;
/** However loaded the machine: a second in so many counts. */
const SMALLEST_SHARE = 1 / 60;

/**
 * A bound on waiting for a process, in seconds that the process could have used. On a loaded machine it gets a share of the CPUs
 * only, and time in which it wanted them counts as that share; time in which it wanted none counts whole, since then it does not
 * answer by itself. So a slow process gets the time that it needs, and one that hangs is found out in the same time on any machine.
 */
export class Patience {
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

/** The part of `elapsedMs` that the process could have used: what its threads waited for CPUs is not in it. */
function share(before: ReturnType<ReadThreads>, after: ReturnType<ReadThreads>, elapsedMs: number): number {
  if (before === null || after === null) return 1;
  let ran = 0;
  let waited = 0;
  let starved = false;
  for (const [id, thread] of after) {
    const { ran: ranBefore, waited: waitedBefore } = before.get(id) ?? { ran: 0, waited: 0 };
    ran += thread.ran - ranBefore;
    waited += thread.waited - waitedBefore;
    // The wait of one that still waits is not in its numbers yet.
    starved ||= thread.busy && thread.ran === ranBefore;
  }
  if (starved) return SMALLEST_SHARE;
  if (ran + waited <= 0) return 1;
  // Of the time in which it wanted CPUs it got a share; the rest it slept, hindered by nobody.
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
