import { MLGYM_TASKS, type MlgymTask } from '../../../domain/mlgym/tasks.js';
import type { Direction } from '../../../domain/run/score.js';
import type { ImportProblem } from './mlgym-config.js';

/** Ranking metrics beyond MLGym's benchmark, and keys that evaluators print without a baseline. */
const PRIMARY: Readonly<Record<string, string>> = {
  regressionKaggleHousePriceL1: 'r2',
  imageClassificationCifar10L1: 'accuracy',
  titanicSurvival: 'accuracy',
  rlMountainCarContinuousReinforce: 'Reward Mean',
};
const FURTHER: Readonly<Record<string, readonly string[]>> = { '3SATTime': ['Decisions'] };

/** The better direction of a metric by its lower-case name. */
const DIRECTIONS: Readonly<Record<string, Direction>> = {
  accuracy: 'maximize',
  auc: 'maximize',
  'bleu score': 'maximize',
  correct: 'maximize',
  f1: 'maximize',
  r2: 'maximize',
  'reward mean': 'maximize',
  score: 'maximize',
  validation_accuracy: 'maximize',
  decisions: 'minimize',
  incorrect: 'minimize',
  loss: 'minimize',
  mae: 'minimize',
  mse: 'minimize',
  'reward std': 'minimize',
  rmse: 'minimize',
  time: 'minimize',
  val_loss: 'minimize',
};

interface ImportedMetric {
  key: string;
  direction: Direction;
  /** Of the config's first baseline. */
  baseline: number | null;
}

export interface MetricChoice {
  metrics: ImportedMetric[];
  primary: string;
}

export interface MetricSource {
  id: string;
  file: string;
  baseline: Readonly<Record<string, number>>;
  /** The evaluator's text: only what it prints can be a metric. */
  evaluator: string;
  /** The caller's choice for the task. */
  given: Pick<MlgymTask, 'metric' | 'direction'> | undefined;
}

/** The keys that an evaluator prints, as far as its config or the caller names them. */
export function chooseMetrics(source: MetricSource): MetricChoice | ImportProblem {
  const { id, file, baseline, evaluator, given } = source;
  const remedy = {
    remedy: `State what it prints and what is better, as ${id}=<key>:max or ${id}=<key>:min.`,
    fields: { metric: `${id}=<key>:max` },
  };
  const metrics: ImportedMetric[] = [];
  for (const named of Object.keys(baseline)) {
    const key = spelling(named, evaluator);
    const direction = given?.metric === key ? given.direction : DIRECTIONS[(key ?? '').toLowerCase()];
    // An uncertain metric is omitted, unless no other ranks the task.
    if (key !== null && direction !== undefined) metrics.push({ key, direction, baseline: baseline[named] ?? null });
  }
  const add = (key: string, direction: Direction): void => {
    if (!metrics.some((metric) => metric.key === key)) metrics.push({ key, direction, baseline: null });
  };
  for (const key of FURTHER[id] ?? []) if (spelling(key, evaluator) === key) add(key, DIRECTIONS[key.toLowerCase()]!);
  if (given !== undefined) {
    if (spelling(given.metric, evaluator) !== given.metric)
      return { file, key: 'evaluation_paths', message: `the evaluator never names ${given.metric}`, ...remedy };
    add(given.metric, given.direction);
  }
  const known = given?.metric ?? MLGYM_TASKS[id]?.metric ?? PRIMARY[id];
  const primary = metrics.find(({ key }) => key === known) ?? (known === undefined ? metrics[0] : undefined);
  if (primary !== undefined) return { metrics, primary: primary.key };
  const names = Object.keys(baseline).join(', ') || 'no key';
  return {
    file,
    key: 'baseline_scores',
    message: `cannot determine which metric the evaluator prints, and whether higher is better (${names})`,
    ...remedy,
  };
}

/** The key as the evaluator spells it, perhaps in another case; null: it does not occur. */
function spelling(key: string, evaluator: string): string | null {
  const literals = [...evaluator.matchAll(/(["'])([^"'\n]{1,80})\1/g)].map(([, , text]) => text ?? '');
  if (literals.includes(key)) return key;
  return literals.find((text) => text.toLowerCase() === key.toLowerCase()) ?? null;
}
