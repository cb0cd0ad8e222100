/** Of a result that is asked for often, time must not go into anything else: at most a tenth of it. */
const SHARE = 10;

/**
 * What `work` returned last, unless that is older than ten times as long as it took: then it is done again. Callers that come meanwhile
 * wait for the same one; an error is nobody's later result.
 */
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
