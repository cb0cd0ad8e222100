/** Interruptible at each `yield`, so that megabytes do not stall the event loop. */
export type Sliced<Value> = Generator<undefined, Value, undefined>;

export function atOnce<Value>(work: Sliced<Value>): Value {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

const SLICE_MS = 10;

export const pause = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Runs a few milliseconds at a time. */
export async function bySlices<Value>(work: Sliced<Value>): Promise<Value> {
  let until = performance.now() + SLICE_MS;
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (performance.now() < until) continue;
    await pause();
    until = performance.now() + SLICE_MS;
  }
}
