import type { Pairs } from '../views/pairs.js';
import { plural } from './format.js';

type Verdict = NonNullable<Pairs['verdict']>;

const probability = (p: number): string => (p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`);
const both = ({ low, high }: { low: number; high: number }): string => `[${low.toFixed(2)}, ${high.toFixed(2)}]`;

/** Names both sides; says what would decide where nothing is decided. */
export function verdictText({ a, b, tasks, verdict }: Pairs): string {
  if (verdict === null)
    return `Not decided: ${a} and ${b} have no pairs, which are counted runs of each at one task, contract and attempt.`;
  const { winRate, interval, p, tasksAhead, tasksBehind } = verdict;
  const figures = `win rate ${winRate.toFixed(2)} ${both(interval)} over ${plural(tasks.length, 'task')}; ${probability(p)}; ahead on ${plural(tasksAhead, 'task')}, behind on ${tasksBehind}`;
  return `${decisionText(b, verdict)}: ${figures}${moreText(verdict)}.`;
}

function decisionText(b: string, { decision, margin }: Verdict): string {
  switch (decision) {
    case 'better':
      return `${b} is better`;
    case 'worse':
      return `${b} is worse`;
    case 'similar':
      return `No difference beyond ${margin}`;
    case 'undecided':
      return 'Not decided';
  }
}

const moreText = ({ moreAttempts }: Verdict): string =>
  moreAttempts === null ? '' : `; ${plural(moreAttempts, 'more attempt')} per task would show a difference of 0.1`;
