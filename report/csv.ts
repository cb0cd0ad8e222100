import { csvText } from './csv-text.js';
import { type ReportData, runsOf } from './report-data.js';

/** A row per model and task, unrounded; missing values are empty. */
export function reportCsv({ board, over, runs }: ReportData): string {
  const rows = board.tasks.flatMap(({ task, primary, direction, baseline, standardError, target }) =>
    board.rows.flatMap((row) => {
      const cell = row.scores[task];
      if (cell === undefined) return [];
      const { bestAttempts: _best, lastAttempts: _last, expectedBest: _eb, expectedLast: _el, ...figures } = cell;
      const own = runsOf(runs, row, task);
      return [
        {
          ...{ task, primary, direction, baseline, standardError, target },
          ...{ model: row.model, kind: row.kind, isolation: row.isolation, unranked: row.unranked, rank: row.rank },
          ...{ bestWinRate: row.winRate?.best ?? null, lastWinRate: row.winRate?.last ?? null },
          ...{ meanBestGain: row.gain?.best ?? null, meanLastGain: row.gain?.last ?? null },
          group: row.intervals?.[over].group ?? null,
          ...{ averageRank: row.averageRank, bestAup: row.bestAup, lastAup: row.lastAup },
          ...{
            bestAupLow: row.intervals?.[over].bestAup?.low ?? null,
            bestAupHigh: row.intervals?.[over].bestAup?.high ?? null,
          },
          ...{
            lastAupLow: row.intervals?.[over].lastAup?.low ?? null,
            lastAupHigh: row.intervals?.[over].lastAup?.high ?? null,
          },
          withSuspectsBestAup: row.withSuspects?.bestAup ?? null,
          withSuspectsLastAup: row.withSuspects?.lastAup ?? null,
          ...figures,
          runs: own.map(({ runId }) => runId).join(' '),
        },
      ];
    }),
  );
  return csvText(rows, { header: true });
}
