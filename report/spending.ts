import { runsOf } from './report-data.js';
import type { LeaderboardRow } from '../domain/views/leaderboard.js';
import type { ReportRun } from '../domain/views/report.js';

export interface Spending {
  /** Over all runs, including repeated ones. Null: no cost recorded. */
  totalUsd: number | null;
  /** Per run that ended, as the leaderboard divides. */
  perRunUsd: number | null;
  inputTokens: number;
  outputTokens: number;
  /** Steps of a run that ended, on average; null: none has. */
  stepsPerRun: number | null;
  /** own: bench's; list: those of the comparison's price list; recorded: some of the costs are as another harness recorded them, by its own. */
  prices: 'own' | 'list' | 'recorded';
}

export function spendingOf(row: LeaderboardRow, runs: readonly ReportRun[]): Spending {
  const own = runsOf(runs, row);
  const known = own.filter(({ costUsd }) => costUsd !== null);
  const sum = (of: readonly ReportRun[], value: (run: ReportRun) => number) =>
    of.reduce((total, run) => total + value(run), 0);
  const ended = own.filter(({ status, superseded }) => status === 'ended' && !superseded);
  const priced = ended.filter(({ costUsd }) => costUsd !== null).length;
  const totalUsd = known.length === 0 ? null : sum(known, ({ costUsd }) => Number(costUsd));
  const recorded = own.some(({ origin }) => origin === 'mlgym');
  const listed = recorded && row.listCostUsd !== null;
  return {
    ...(listed
      ? {
          totalUsd: Number(row.listCostUsd),
          perRunUsd: row.listCostPerRunUsd === null ? null : Number(row.listCostPerRunUsd),
        }
      : { totalUsd, perRunUsd: totalUsd === null || priced === 0 ? null : totalUsd / priced }),
    inputTokens: sum(own, ({ inputTokens }) => inputTokens),
    outputTokens: sum(own, ({ outputTokens }) => outputTokens),
    stepsPerRun: ended.length === 0 ? null : sum(ended, ({ steps }) => steps) / ended.length,
    prices: listed ? 'list' : recorded ? 'recorded' : 'own',
  };
}
