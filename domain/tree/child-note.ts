import type { Operator } from './tree.js';

/** A note to a node's agent before its first step, after the last message that the parent saw. */
export interface ChildNote {
  operator: Operator;
  /** Steps that it may take. */
  steps: number;
  metric: string;
  /** The parent's validation score; null: it has none. */
  parent: number | null;
  /** Of a crossover and an ensemble: the other nodes' scores, and what they did. */
  others: readonly { score: number | null; work: readonly { thought: string; action: string }[] }[];
}

/** Longest account of another node, and of all, characters: the end tells most. */
const MOST_WORK = 6_000;
const MOST_OF_ALL = 12_000;

export function childNote({ operator, steps, metric, parent, others }: ChildNote): string {
  const score = (value: number | null): string => (value === null ? 'none' : `${metric} ${value}`);
  const goal =
    operator === 'debug'
      ? 'The submission so far could not be scored. Find out why, and repair it.'
      : `The submission so far scores ${score(parent)} on validation. Make it better.`;
  const lines = [
    `[${goal} A submission counts once more only when it has changed; result files of the old one are removed.`,
    `You have ${steps} steps, of which the first \`validate\` is the last.]`,
  ];
  if (operator === 'ensemble') lines.push(TO_COMBINE);
  const how = operator === 'crossover' ? ' Combine the best of both.' : '';
  const most = Math.min(MOST_WORK, Math.floor(MOST_OF_ALL / Math.max(1, others.length)));
  for (const { score: scored, work } of others) {
    const account = work.map(({ thought, action }) => `${thought}\n$ ${action}`.trim()).join('\n');
    lines.push(
      `[Another attempt at this task scores ${score(scored)}.${how} What it did:]`,
      account.length > most ? `…${account.slice(-most)}` : account,
    );
  }
  return lines.join('\n');
}

const TO_COMBINE =
  '[Combine the best attempts at this task: build the others beside yours, then merge what they give, for example by the mean or ' +
  'the vote of their predictions. Where outputs cannot be merged, take over what makes the others good.]';
