import type { Direction } from '../run/score.js';
import type { TaskTarget } from '../task/target.js';

/** MLGym's run directories do not name the primary metric. */
export interface MlgymTask {
  label: string;
  metric: string;
  direction: Direction;
  bounds?: { min?: number; max?: number };
  /** Of the published baseline, or estimated by its test set. 0: deterministic, or unknown. */
  standardError?: number;
  /** A score worth a gain of 1, frozen. */
  target?: TaskTarget;
  /** Metric of bench's own task of this id, if different. */
  ownMetric?: string;
}

/** Never one of ours: MLGym's evaluators gave scores of contract 0. */
export const MLGYM_CONTRACT = 0;

const share = { min: 0, max: 1 };

const optimum = (value: number, source: string): TaskTarget => ({ value, kind: 'optimum', source });
const bestKnown = (value: number, source: string): TaskTarget => ({ value, kind: 'best_known', source });
const PUBLISHED = 'the best published run of MLGym-Bench';
/** Their evaluator plays similar episodes. */
const ORACLE = "the oracle of bench's own task, on episodes of the same kind";
/** Its 6,400 episodes are 1,280 distinct ones, for five checkpoints each. */
const episodes = (deviation: number): number => deviation / Math.sqrt(1280);

/** MLGym-Bench v0, in its order. Compare whole ids: others have the same beginning. */
export const MLGYM_TASKS: Readonly<Record<string, MlgymTask>> = {
  regressionKaggleHousePrice: {
    ...{ label: 'House Price', metric: 'r2', direction: 'maximize', bounds: { max: 1 } },
    // A ridge regression: repeated runs have equal digits.
    standardError: 0,
    target: bestKnown(0.931, PUBLISHED),
  },
  '3SATTime': {
    ...{ label: '3-SAT', metric: 'Time', direction: 'minimize', bounds: { min: 0 } },
    // Published runs of equal decisions have times that deviate by 5.3 %.
    standardError: 0.86,
    target: bestKnown(11.894, PUBLISHED),
    ownMetric: 'Decisions',
  },
  imageClassificationCifar10: {
    ...{ label: 'CIFAR-10', metric: 'accuracy', direction: 'maximize', bounds: share },
    standardError: 0.005,
    target: bestKnown(0.8947, PUBLISHED),
  },
  imageClassificationFMnist: {
    ...{ label: 'Fashion MNIST', metric: 'accuracy', direction: 'maximize', bounds: share },
    standardError: 0.0041,
    target: bestKnown(0.9451, PUBLISHED),
  },
  imageCaptioningCOCO: {
    ...{ label: 'MS-COCO', metric: 'BLEU Score', direction: 'maximize', bounds: share },
    standardError: 0,
    // The best, 0.473, is a file of random numbers.
    target: bestKnown(0.3267, `${PUBLISHED} but for random numbers`),
  },
  languageModelingFineWeb: {
    ...{ label: 'Language Modeling', metric: 'val_loss', direction: 'minimize', bounds: { min: 0 } },
    // The deviation of ten published repetitions.
    standardError: 0.009,
    target: bestKnown(3.9664, PUBLISHED),
  },
  naturalLanguageInferenceMNLI: {
    ...{ label: 'MNLI', metric: 'validation_accuracy', direction: 'maximize', bounds: { min: 0, max: 100 } },
    standardError: 0.5,
    target: bestKnown(84.2486, PUBLISHED),
  },
  battleOfSexes: {
    ...{ label: 'Battle of Sexes', metric: 'Score', direction: 'maximize' },
    standardError: 0.0033,
    target: optimum(1.44, 'exact: always 0'),
  },
  prisonersDilemma: {
    ...{ label: 'Prisoners Dilemma', metric: 'Score', direction: 'maximize' },
    standardError: 0.0049,
    target: optimum(2.62514, 'exact: always defect'),
  },
  blotto: {
    ...{ label: 'Blotto', metric: 'Score', direction: 'maximize' },
    standardError: 0.0023,
    target: optimum(0.2475, 'the best of all placements, over 20 million rounds'),
  },
  rlBreakoutMinAtar: {
    ...{ label: 'Breakout', metric: 'Reward Mean', direction: 'maximize' },
    standardError: episodes(30.36),
    target: bestKnown(95.7, ORACLE),
  },
  rlMetaMazeMisc: {
    ...{ label: 'Meta Maze', metric: 'Reward Mean', direction: 'maximize' },
    standardError: episodes(16.31),
    target: bestKnown(122, ORACLE),
  },
  rlMountainCarContinuous: {
    ...{ label: 'Mountain Car Continuous', metric: 'Reward Mean', direction: 'maximize' },
    standardError: episodes(41.71),
    target: bestKnown(95.9, ORACLE),
  },
};

/** Where bench and MLGym rank a task by different metrics, and why; null: nowhere. */
export function rankingNote({
  task,
  contract,
  primary,
}: {
  task: string;
  contract: number;
  primary: string;
}): string | null {
  const known = MLGYM_TASKS[task];
  if (known?.ownMetric === undefined) return null;
  const { metric, ownMetric } = known;
  const why = `${metric} hangs on the machine, ${ownMetric} do not`;
  return contract === MLGYM_CONTRACT
    ? `by ${primary}, as MLGym ranks it; bench's own contracts rank by ${ownMetric}: ${why}`
    : `by ${primary}; MLGym, and imported runs of contract ${MLGYM_CONTRACT}, by ${metric}: ${why}`;
}
