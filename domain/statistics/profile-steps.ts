/** A step of a performance profile: at `share` of the tasks the log10 ratio is at most `tau`. */
export type ProfileStep = readonly [tau: number, share: number];

/**
 * The steps of a profile up to the end of the axis, ascending. `ratios`: each counted task's ratio
 * to the best; null: not feasible.
 */
export function profileSteps(ratios: readonly (number | null)[], axis: number): ProfileStep[] {
  const steps: [number, number][] = [];
  const feasible = ratios.filter((ratio) => ratio !== null).map((ratio) => Math.log10(ratio));
  for (const [i, tau] of feasible.sort((a, b) => a - b).entries()) {
    if (tau > axis) break;
    const share = (i + 1) / ratios.length;
    const before = steps.at(-1);
    if (before?.[0] === tau) before[1] = share;
    else steps.push([tau, share]);
  }
  return steps;
}
