import type { Direction } from '../score.js';

/** Primary metric of an MLGym task, which its run directories do not name. */
export interface MlgymTask {
  label: string;
  metric: string;
  direction: Direction;
  /** The metric's possible values. */
  bounds?: { min?: number; max?: number };
}

/** Never one of ours: scores of contract 0 were given by MLGym's evaluators. */
export const MLGYM_CONTRACT = 0;

const share = { min: 0, max: 1 };

/** The 13 tasks of MLGym-Bench v0, in its order. Ids are compared whole: there are others that begin alike. */
export const MLGYM_TASKS: Readonly<Record<string, MlgymTask>> = {
  regressionKaggleHousePrice: { label: 'House Price', metric: 'r2', direction: 'maximize', bounds: { max: 1 } },
  '3SATTime': { label: '3-SAT', metric: 'Time', direction: 'minimize', bounds: { min: 0 } },
  imageClassificationCifar10: { label: 'CIFAR-10', metric: 'accuracy', direction: 'maximize', bounds: share },
  imageClassificationFMnist: { label: 'Fashion MNIST', metric: 'accuracy', direction: 'maximize', bounds: share },
  imageCaptioningCOCO: { label: 'MS-COCO', metric: 'BLEU Score', direction: 'maximize', bounds: share },
  languageModelingFineWeb: {
    label: 'Language Modeling',
    metric: 'val_loss',
    direction: 'minimize',
    bounds: { min: 0 },
  },
  naturalLanguageInferenceMNLI: {
    label: 'MNLI',
    metric: 'validation_accuracy',
    direction: 'maximize',
    bounds: { min: 0, max: 100 },
  },
  battleOfSexes: { label: 'Battle of Sexes', metric: 'Score', direction: 'maximize' },
  prisonersDilemma: { label: 'Prisoners Dilemma', metric: 'Score', direction: 'maximize' },
  blotto: { label: 'Blotto', metric: 'Score', direction: 'maximize' },
  rlBreakoutMinAtar: { label: 'Breakout', metric: 'Reward Mean', direction: 'maximize' },
  rlMetaMazeMisc: { label: 'Meta Maze', metric: 'Reward Mean', direction: 'maximize' },
  rlMountainCarContinuous: { label: 'Mountain Car Continuous', metric: 'Reward Mean', direction: 'maximize' },
};
