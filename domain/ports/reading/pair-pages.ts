import type { EndReason } from '../../run/outcomes.js';
import type { Direction } from '../../run/score.js';

export interface PairableRun {
  runId: string;
  batchId: string;
  model: string;
  agent: string;
  task: string;
  contract: number;
  attempt: number;
  seed: number;
  score: number | null;
  metric: string;
  direction: Direction;
  baseline: number | null;
  standardError: number | null;
  target: number | null;
}

/** Runs of one side that ended alike. */
export interface SideEnds {
  side: string;
  /** Null: not ended. */
  endReason: EndReason | null;
  runs: number;
  /** US dollars, a decimal string. */
  costUsd: string;
  /** Of each ended run. */
  seconds: number[];
}

export type PairFilter = Record<'batches' | 'models' | 'agents' | 'tasks', string[] | null> & {
  includeSuspect: boolean;
};

export interface PairPages {
  pairableRuns(of: PairFilter): Promise<PairableRun[]>;
  /** All runs of the sides at these tasks, also those that no leaderboard counts. */
  sideEnds(of: Omit<PairFilter, 'includeSuspect'>): Promise<SideEnds[]>;
}
