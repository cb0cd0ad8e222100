import type { Leaderboard, LeaderboardOptions } from '../../views/leaderboard.js';
import type { LeaderboardRun } from '../../views/leaderboard-run.js';

export interface LeaderboardReads {
  leaderboard(options?: LeaderboardOptions): Promise<Leaderboard>;
  /** The runs behind its figures. */
  leaderboardRuns(board: Leaderboard): Promise<LeaderboardRun[]>;
}
