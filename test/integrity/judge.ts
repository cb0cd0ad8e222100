import { type AttackedTask, GAMES } from './exploit.js';

/**
 * The outcome of an attack. `starter`: valid, scored exactly as the starter, which it submits ·
 * `optimum`: valid, no better than the oracle · `rejected`: the last evaluation, with a reason ·
 * `no_artefact`: no submission · `unsure`: a race decides validity · `flagged`: valid, better, but
 * flagged, so unranked. Earlier valid evaluations of the last three are no better than the starter.
 */
export type Expectation = 'starter' | 'optimum' | 'rejected' | 'no_artefact' | 'unsure' | 'flagged';

/** An evaluation as stored. Runs of a task meet the same games and instances at each number. */
export interface Evaluation {
  number: number;
  split: string;
  status: string;
  primary: number | null;
  metrics: Record<string, number> | null;
  suspect: boolean;
  /** The starter as it is. */
  unchanged: boolean;
  message: string;
}

const DIRECTIONS: Record<AttackedTask, 1 | -1> = {
  battleOfSexes: 1,
  prisonersDilemma: 1,
  blotto: 1,
  csvClassification: 1,
  programPredict: -1,
  satHeuristic: -1,
  charLm: -1,
  hiddenDoors: 1,
  arrayPredict: -1,
};

/** Scores by the tasks' READMEs, with the standard error of 10,000 games. Null: unknown. */
export const KNOWN: Record<AttackedTask, { starter: number | null; oracle: number | null; standardError: number }> = {
  battleOfSexes: { starter: 1.02104, oracle: 1.44, standardError: 0.0033 },
  prisonersDilemma: { starter: 2.37752, oracle: 2.62514, standardError: 0.0058 },
  blotto: { starter: -0.2481, oracle: 0.2475, standardError: 0.0023 },
  csvClassification: { starter: 0.56, oracle: 1, standardError: 0 },
  programPredict: { starter: null, oracle: 0, standardError: 0 },
  satHeuristic: { starter: null, oracle: null, standardError: 0 },
  charLm: { starter: null, oracle: null, standardError: 0 },
  hiddenDoors: { starter: null, oracle: null, standardError: 0 },
  arrayPredict: { starter: null, oracle: 0, standardError: 0 },
};

/** How far a score of honest work may lie from the known one, when so many games are played. */
export const slack = (task: AttackedTask, games: number): number =>
  5 * KNOWN[task].standardError * Math.sqrt(10_000 / games) + 1e-9;

export const isGame = (task: AttackedTask): boolean => GAMES.some((game) => game === task);

/** Whether evaluations of one submission differ by their number: each draws anew. */
export const drawsAnew = (task: AttackedTask): boolean =>
  isGame(task) || task === 'satHeuristic' || task === 'hiddenDoors';

/** By how much a score is better than another, whatever the metric's direction. */
export const lead = (task: AttackedTask, score: number, than: number): number => DIRECTIONS[task] * (score - than);

/** The scores that rank, by the evaluation's number. */
export const ranking = (evaluations: readonly Evaluation[]): Map<number, number> =>
  new Map(
    evaluations.flatMap(({ number, split, status, primary }) =>
      split === 'test' && status === 'ok' && primary !== null ? [[number, primary] as const] : [],
    ),
  );
