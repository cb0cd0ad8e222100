import { profileSteps } from '../../domain/statistics/profile-steps.js';
import type { ScoreStatus } from '../../domain/views/leaderboard.js';
import type { Columns } from './columns.js';

/** A row of performance_ratios(). */
export interface RatioRow {
  method: string;
  task: string;
  kind: 'best' | 'last';
  status: ScoreStatus;
  ratio: number | null;
}

type Ratio = Pick<RatioRow, 'status' | 'ratio'>;
/** Of one method, by task. */
export type RatiosOfMethod = Record<RatioRow['kind'], Map<string, Ratio>>;

export function ratiosByMethod(columns: Columns<RatioRow>): Map<string, RatiosOfMethod> {
  const found = new Map<string, RatiosOfMethod>();
  if (columns.method === null) return found;
  const [task, kind, status, ratio] = [columns.task!, columns.kind!, columns.status!, columns.ratio!];
  for (const [i, method] of columns.method.entries()) {
    let own = found.get(method);
    if (own === undefined) found.set(method, (own = { best: new Map(), last: new Map() }));
    own[kind[i]!].set(task[i]!, { status: status[i]!, ratio: ratio[i]! });
  }
  return found;
}

/** Steps of the profile whose area is the mode's AUP; strict leaves out tasks that were not run. */
export function stepsOf(ratios: RatiosOfMethod, kind: RatioRow['kind'], mode: 'strict' | 'compat', axis: number) {
  const counted = [...ratios[kind].values()].filter(
    (one) => one.ratio !== null && (mode === 'compat' || one.status !== 'not_run'),
  );
  return profileSteps(
    counted.map(({ ratio, status }) => (mode === 'compat' || status === 'feasible' ? ratio : null)),
    axis,
  );
}
