import { createHash } from 'node:crypto';
import { type CurvePoint, attemptCurve } from '../../domain/statistics/attempt-curve.js';
import { attemptGain, hasGains } from '../../domain/statistics/gain.js';
import { type Headlines, headlines } from '../../domain/statistics/headlines.js';
import { KINDS } from '../../domain/statistics/compared.js';
import type { LeaderboardRow } from '../../domain/views/leaderboard.js';
import type { Statements } from '../statements.js';
import {
  type Compared,
  type IntervalOptions,
  leaderboardIntervals,
} from '../../domain/statistics/leaderboard-intervals.js';

/** To be raised when the same attempts give other figures. A unit test compares their hash. */
export const FIGURES_VERSION = 6;
/** So many comparisons are kept. */
const KEPT = 200;

type Headline = Pick<LeaderboardRow, 'winRate' | 'gain' | 'curve'>;

/** What is computed of compared attempts here and not in SQL, by place of the method. */
export interface Figures {
  headlines: Headline[];
  intervals: ReturnType<typeof leaderboardIntervals> | null;
}

/** Null: no intervals are wanted. */
export type FigureOptions = Omit<IntervalOptions, 'observed'> | null;

export function computeFigures(compared: Compared, options: FigureOptions): Figures {
  const observed = headlines(compared.tasks);
  return {
    headlines: headlinesOf(compared, observed),
    intervals: options === null ? null : leaderboardIntervals(compared, { ...options, observed }),
  };
}

/** From the table of earlier ones. Without intervals computing is as fast as a query. */
export async function keptFigures(run: Statements, compared: Compared, options: FigureOptions): Promise<Figures> {
  if (options === null) return computeFigures(compared, options);
  const inputs = hashOf(compared, options);
  const [kept] = await run<{ figures: Figures | null; reads: boolean }>(
    'keptFigures',
    `select current_setting('transaction_read_only')::boolean as reads, k.figures
     from (values ($1)) asked (inputs) left join leaderboard_figures k on k.inputs = asked.inputs`,
    [inputs],
  );
  if (kept?.figures != null) return kept.figures;
  const figures = computeFigures(compared, options);
  // A user that may only read computes them every time.
  if (kept?.reads === true) return figures;
  await run(
    'keepFigures',
    `with old as (delete from leaderboard_figures where inputs in (select inputs from leaderboard_figures order by created_at desc offset ${KEPT - 1}))
     insert into leaderboard_figures (inputs, figures) values ($1, $2::json) on conflict (inputs) do nothing`,
    [inputs, JSON.stringify(figures)],
  );
  return figures;
}

/** Of all that figures are computed from. */
export function hashOf({ tasks }: Compared, { order, kind }: NonNullable<FigureOptions>): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([FIGURES_VERSION, order, kind, tasks.length]));
  for (const { direction, baseline, standardError, target, cells } of tasks) {
    hash.update(JSON.stringify([direction, baseline, standardError, target, cells.length]));
    // One list of numbers, each cell after its length: hashing texts would take longest.
    const numbers: number[] = [];
    for (const cell of cells) {
      numbers.push(cell.ran ? 1 : 0, cell.best.length);
      for (const of of KINDS) for (const score of cell[of]) numbers.push(score ?? NaN);
    }
    hash.update(new Uint8Array(Float64Array.from(numbers).buffer));
  }
  return hash.digest('hex');
}
function headlinesOf({ tasks, methods }: Compared, { winRate, gain }: Headlines): Headline[] {
  const known = (value: number): number | null => (Number.isNaN(value) ? null : value);
  const both = (of: Headlines[keyof Headlines], model: number) => {
    const figures = { best: known(of.best[model]!), last: known(of.last[model]!) };
    return figures.best === null && figures.last === null ? null : figures;
  };
  const gaining = tasks.filter(hasGains);
  const curve = (model: number, kind: 'best' | 'last'): CurvePoint[] => {
    const gains: number[][] = [];
    for (const task of gaining) {
      const cell = task.cells[model]!;
      if (cell.ran || cell[kind].length > 0) gains.push(cell[kind].map((score) => attemptGain(task, score)!));
    }
    return attemptCurve(gains);
  };
  return methods.map((_, model) => ({
    winRate: both(winRate, model),
    gain: both(gain, model),
    curve: { best: curve(model, 'best'), last: curve(model, 'last') },
  }));
}
