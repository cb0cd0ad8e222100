import type { Direction } from '../../run/score.js';

export interface PairableRun {
  runId: string;
  batchId: string;
  model: string;
  task: string;
  contract: number;
  attempt: number;
  seed: number;
  score: number | null;
  metric: string;
  direction: Direction;
  baseline: number | null;
  standardError: number | null;
}

type PairFilter = Record<'batches' | 'models' | 'tasks', string[] | null> & { includeSuspect: boolean };

export interface PairPages {
  pairableRuns(of: PairFilter): Promise<PairableRun[]>;
}
