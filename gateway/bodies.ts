/** Bytes of a run's requests in memory; `all` bounds them together with other runs'. */
export class Bodies {
  private used = 0;

  constructor(
    private readonly most: number,
    private readonly all: Bodies | null = null,
  ) {}

  hasRoom(bytes: number): boolean {
    return this.used + bytes <= this.most && this.all?.hasRoom(bytes) !== false;
  }

  take(bytes: number): boolean {
    if (!this.hasRoom(bytes)) return false;
    this.used += bytes;
    this.all?.take(bytes);
    return true;
  }

  give(bytes: number): void {
    this.used -= bytes;
    this.all?.give(bytes);
  }
}

const MIB = 1024 * 1024;
/** Two of the longest requests, or many usual ones. */
const MOST_OF_A_RUN = 64 * MIB;
const MOST_OF_ALL = 256 * MIB;

export const bodiesOfAll = (): Bodies => new Bodies(MOST_OF_ALL);
export const bodiesOfRun = (all: Bodies): Bodies => new Bodies(MOST_OF_A_RUN, all);

/** Larger bodies wait for each other: each occupies the worker's CPU for a while. */
const LARGE = 256 * 1024;
let last: Promise<unknown> = Promise.resolve();

/** Serializes work on large bodies of all runs. */
export function inTurn<Value>(bytes: number, work: () => Promise<Value>): Promise<Value> {
  if (bytes < LARGE) return work();
  const mine = last.then(work);
  last = mine.catch(() => undefined);
  return mine;
}
