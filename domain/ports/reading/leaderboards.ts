import type { Leaderboard, LeaderboardOptions } from '../../views/leaderboard.js';
import type { ActionCount, ReportRun, ReportTree } from '../../views/report.js';

/** Leaderboards and the runs behind them. */
export interface LeaderboardReads {
  leaderboard(options?: LeaderboardOptions): Promise<Leaderboard>;
  /** The runs behind its figures, and the action categories of those that count. */
  reportRuns(board: Leaderboard): Promise<{ runs: ReportRun[]; actions: ActionCount[]; trees: ReportTree[] }>;
}
