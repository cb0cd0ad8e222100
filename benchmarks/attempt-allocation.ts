// What `--attempts auto` saves, on attempts drawn from recorded ones: npm run benchmark:attempts
import { attemptGain, hasGains } from '../domain/statistics/gain.js';
import { randomIndexes } from '../domain/statistics/random-index.js';
import { FIRST_ATTEMPTS, type OrderRules, plannedLooks, settleOrder } from '../domain/statistics/settle-order.js';
import type { Leaderboard } from '../domain/views/leaderboard.js';

/** Recorded gains, [task][model], from which attempts are drawn. */
export type Recorded = readonly (readonly (readonly number[])[])[];

export function recordedGains({ tasks, rows }: Pick<Leaderboard, 'tasks' | 'rows'>): Recorded {
  return tasks.filter(hasGains).map((task) =>
    rows
      .filter(({ rank }) => rank !== null)
      .map(({ scores }) => {
        const gains = (scores[task.task]?.bestAttempts ?? []).map((score) => attemptGain(task, score)!);
        return gains.length === 0 ? [0] : gains;
      }),
  );
}

export interface Played {
  attempts: number;
  looks: number;
  settled: number;
  wrong: number;
  /** Per model the measured mean gain minus the true one. */
  errors: number[];
}

/** `auto`: attempts where they settle most; `evenly`: equal attempts under the same rule. */
export function playBatch(
  recorded: Recorded,
  rules: OrderRules & { how: 'auto' | 'evenly'; draw: (below: number) => number },
): Played {
  const { draw } = rules;
  const gains = recorded.map((ofTask) => ofTask.map((): number[] => []));
  const add = (task: number, model: number, attempts: number): void => {
    const from = recorded[task]![model]!;
    for (let i = 0; i < attempts; i++) gains[task]![model]!.push(from[draw(from.length)]!);
  };
  const each = (change: (task: number, model: number) => void): void =>
    recorded.forEach((ofTask, task) => ofTask.forEach((_, model) => change(task, model)));
  each((task, model) => add(task, model, FIRST_ATTEMPTS));
  for (let looks = 1; ; looks++) {
    const given = gains.map((ofTask) => ofTask.map(({ length }) => length));
    const order = settleOrder(gains, given, rules);
    const most = Math.max(...given.flat());
    const next = Math.min(rules.maxAttempts, Math.ceil(most * 1.5));
    const goesOn =
      order.open > 0 &&
      looks < plannedLooks(rules) &&
      (rules.how === 'auto' ? order.more.flat().some(Boolean) : next > most);
    if (goesOn) {
      each((task, model) => add(task, model, rules.how === 'auto' ? order.more[task]![model]! : next - most));
      continue;
    }
    const [found, truth] = [meansOf(gains), meansOf(recorded)];
    const settled = order.pairs.filter(({ state }) => state === 'settled');
    const wrong = settled.filter(({ models: [a, b] }) => found[a]! > found[b]! !== truth[a]! > truth[b]!);
    return {
      ...{ attempts: given.flat().reduce((sum, one) => sum + one, 0), looks },
      ...{ settled: settled.length, wrong: wrong.length, errors: found.map((mean, model) => mean - truth[model]!) },
    };
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const meansOf = (gains: Recorded): number[] =>
  (gains[0] ?? []).map((_, model) => mean(gains.map((ofTask) => mean(ofTask[model]!))));

export interface Compared {
  how: 'auto' | 'evenly';
  attempts: number;
  looks: number;
  settled: number;
  wrong: number;
  /** Largest mean error of a model's gain, and its standard error: the bias of adaptive choice. */
  bias: number;
  biasError: number;
}

export function compareAllocations(recorded: Recorded, rules: OrderRules, batches: number): Compared[] {
  return (['evenly', 'auto'] as const).map((how) => {
    // One stream: streams of neighbouring seeds are similar.
    const draw = randomIndexes(1);
    const played = Array.from({ length: batches }, () => playBatch(recorded, { ...rules, how, draw }));
    const of = (figure: (one: Played) => number): number => mean(played.map(figure));
    const biases = played[0]!.errors.map((_, model) => {
      const bias = of(({ errors }) => errors[model]!);
      const spread = Math.sqrt(of(({ errors }) => (errors[model]! - bias) ** 2));
      return { bias, biasError: spread / Math.sqrt(batches) };
    });
    const largest = biases.reduce((a, b) => (Math.abs(b.bias) > Math.abs(a.bias) ? b : a));
    const [settled, wrong] = [of((one) => one.settled), of((one) => one.wrong)];
    return {
      how,
      attempts: of((one) => one.attempts),
      looks: of((one) => one.looks),
      settled,
      wrong: wrong / settled,
      ...largest,
    };
  });
}
