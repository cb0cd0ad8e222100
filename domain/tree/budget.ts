import { usdText, usdUnits } from '../model/price.js';

/** What a whole tree may use. */
export interface TreeLimits {
  nodes: number;
  validations: number;
  /** Null: no limit. */
  costUsd: string | null;
  /** 0: no limit; so with seconds. */
  tokens: number;
  seconds: number;
}

/** What it has used, and what its open nodes may still use. */
export interface TreeCharges {
  nodes: number;
  validations: number;
  costUsd: string;
  tokens: number;
  seconds: number;
}

/** What one node may use at most: reserved before it begins, settled when it has ended. */
export type NodeShare = Pick<TreeLimits, 'costUsd' | 'tokens' | 'seconds'>;

export const TREE_STOPS = ['policy', 'lost', 'nodes', 'validations', 'cost', 'tokens', 'seconds', 'budget'] as const;
/** Why a tree opens no more nodes. `lost`: too many in a row; `budget`: the batch's. */
export type TreeStop = (typeof TREE_STOPS)[number];

/**
 * How many nodes fit, and the limits of each: equal parts of the rest, so that nodes played at once
 * stay within the limits together. Later nodes share what a node leaves.
 */
export function roomIn(
  limits: TreeLimits,
  used: TreeCharges,
): { nodes: number; share: NodeShare; stop: TreeStop | null } {
  const none = (stop: TreeStop) => ({ nodes: 0, share: { costUsd: null, tokens: 0, seconds: 0 }, stop });
  if (used.nodes >= limits.nodes) return none('nodes');
  if (used.validations >= limits.validations) return none('validations');
  const nodes = Math.min(limits.nodes - used.nodes, limits.validations - used.validations);
  const costUsd = limits.costUsd === null ? null : (usdUnits(limits.costUsd) - usdUnits(used.costUsd)) / BigInt(nodes);
  if (costUsd !== null && costUsd <= 0n) return none('cost');
  const part = (limit: number, spent: number): number => (limit === 0 ? 0 : Math.floor((limit - spent) / nodes));
  const tokens = part(limits.tokens, used.tokens);
  if (limits.tokens > 0 && tokens < 1) return none('tokens');
  const seconds = part(limits.seconds, used.seconds);
  if (limits.seconds > 0 && seconds < 1) return none('seconds');
  return { nodes, share: { costUsd: costUsd === null ? null : usdText(costUsd), tokens, seconds }, stop: null };
}
