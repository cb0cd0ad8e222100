import type { Operator } from './tree.js';

export interface Told {
  operator: Operator;
  /** Steps that it has. */
  steps: number;
  /** As evaluators print it; null: it has none. */
  score: number | null;
  best: number | null;
  direction: 'maximize' | 'minimize';
  /** Of a crossover: what the other one's agent said last, and its score. */
  mate?: { thought: string; score: number | null };
}

/** Enough for a plan, and not a whole reply. */
const LONGEST_THOUGHT = 1500;

const ASKED: Record<Exclude<Operator, 'draft'>, string> = {
  improve: 'Change what you expect to help most, one thing, and see what it does.',
  debug: 'What you have cannot be scored, or has not changed. Find out why, and repair it.',
  crossover: 'Bring the best of both solutions together.',
};

/** What the agent of a node that goes on from another one reads after the steps that it begins with. */
export function directionFor({
  operator,
  steps,
  score,
  best,
  direction,
  mate,
}: Told & { operator: keyof typeof ASKED }): string {
  const shown = (value: number): string => String(Number(value.toPrecision(6)));
  return [
    '',
    '[search] Your work goes on from here, beside other attempts at the same task.',
    ...(score === null ? [] : [`What you have scores ${shown(score)}.`]),
    ...(best === null || best === score
      ? []
      : [`The best so far scores ${shown(best)} (${direction === 'maximize' ? 'higher' : 'lower'} is better).`]),
    ...(mate === undefined
      ? []
      : [
          `Another attempt${mate.score === null ? '' : `, which scores ${shown(mate.score)},`} said last: ${mate.thought.slice(0, LONGEST_THOUGHT)}`,
        ]),
    ASKED[operator],
    `You have ${steps === 1 ? 'one step' : `${steps} steps`}; your next \`validate\` ends them.`,
  ].join('\n');
}
