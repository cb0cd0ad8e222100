/** Computing a frequent result may take a tenth of the time. */
const SHARE = 10;

/** Recomputed when older than ten times its cost. Callers share one; errors are not kept. */
export function seldom<Result>(
  work: () => Promise<Result>,
  now: () => number = () => performance.now(),
): () => Promise<Result> {
  let known: { until: number; result: Promise<Result> } | null = null;
  return () => {
    if (known !== null && now() < known.until) return known.result;
    const began = now();
    const own = { until: Infinity, result: work() };
    known = own;
    own.result.then(
      () => (own.until = now() + SHARE * (now() - began)),
      () => {
        if (known === own) known = null;
      },
    );
    return own.result;
  };
}
