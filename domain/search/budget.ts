import { subtractUsd, usdText, usdUnits } from '../price.js';

/** What a tree may use in all; null: as much as it likes. Steps that a node was given from its parent cost nothing. */
export interface TreeBudget {
  nodes: number;
  validations: number;
  steps: number;
  /** On the nodes' clocks, added up. */
  seconds: number | null;
  tokens: number | null;
  /** US dollars, an exact decimal string. */
  usd: string | null;
}

/** What nodes have used. A call that was cut off counts as its reservation. */
export type TreeSpending = { [Part in keyof TreeBudget]: NonNullable<TreeBudget[Part]> };

/** What one node may use: set aside before it starts, so that those in flight together never exceed the tree's. */
export type NodeShare = Pick<TreeBudget, 'steps' | 'seconds' | 'tokens' | 'usd'>;

export const NOTHING: TreeSpending = { nodes: 0, validations: 0, steps: 0, seconds: 0, tokens: 0, usd: '0' };

const less = (all: number | null, used: number): number | null => (all === null ? null : Math.max(0, all - used));

function left(budget: TreeBudget, spent: TreeSpending): TreeBudget {
  return {
    nodes: budget.nodes - spent.nodes,
    validations: budget.validations - spent.validations,
    steps: budget.steps - spent.steps,
    seconds: less(budget.seconds, spent.seconds),
    tokens: less(budget.tokens, spent.tokens),
    usd:
      budget.usd === null
        ? null
        : usdUnits(budget.usd) > usdUnits(spent.usd)
          ? subtractUsd(budget.usd, spent.usd)
          : '0',
  };
}

/** How many nodes may be opened, now that none is open. The last of them may get fewer steps than it is due. */
export function roomFor(budget: TreeBudget, spent: TreeSpending, nodeSteps: number): number {
  const { nodes, validations, steps, seconds, tokens, usd } = left(budget, spent);
  if (steps < 1 || (usd !== null && usdUnits(usd) === 0n)) return 0;
  return Math.max(
    0,
    Math.min(
      nodes,
      validations,
      Math.max(1, Math.floor(steps / nodeSteps)),
      Math.floor(seconds ?? nodes),
      tokens ?? nodes,
    ),
  );
}

/** Equal shares of what is left for `count` nodes that are opened together, at most `roomFor` allows. */
export function sharesOf(budget: TreeBudget, spent: TreeSpending, nodeSteps: number, count: number): NodeShare {
  const { steps, seconds, tokens, usd } = left(budget, spent);
  const part = (all: number | null): number | null => (all === null ? null : Math.floor(all / count));
  return {
    steps: Math.min(nodeSteps, Math.floor(steps / count)),
    seconds: part(seconds),
    tokens: part(tokens),
    usd: usd === null ? null : usdText(usdUnits(usd) / BigInt(count)),
  };
}
