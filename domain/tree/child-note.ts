import type { Operator } from './tree.js';

/** A note to a node's agent before its first step, after the last message that the parent saw. */
export interface ChildNote {
  operator: Operator;
  /** Steps that it may take. */
  steps: number;
  metric: string;
  /** The parent's validation score; null: it has none. */
  parent: number | null;
  /** Of a crossover: the other node's score, and what it did. */
  secondParent: { score: number | null; work: readonly { thought: string; action: string }[] } | null;
}

/** Longest account of the other node, characters: its end tells most. */
const MOST_WORK = 6_000;

export function childNote({ operator, steps, metric, parent, secondParent }: ChildNote): string {
  const score = (value: number | null): string => (value === null ? 'none' : `${metric} ${value}`);
  const goal =
    operator === 'debug'
      ? 'The submission so far could not be scored. Find out why, and repair it.'
      : `The submission so far scores ${score(parent)} on validation. Make it better.`;
  const lines = [
    `[${goal} A submission counts once more only when it has changed; result files of the old one are removed.`,
    `You have ${steps} steps, of which the first \`validate\` is the last.]`,
  ];
  if (operator !== 'crossover' || secondParent === null) return lines.join('\n');
  const work = secondParent.work.map(({ thought, action }) => `${thought}\n$ ${action}`.trim()).join('\n');
  return [
    ...lines,
    `[Another attempt at this task scores ${score(secondParent.score)}. Combine the best of both. What it did:]`,
    work.length > MOST_WORK ? `…${work.slice(-MOST_WORK)}` : work,
  ].join('\n');
}
