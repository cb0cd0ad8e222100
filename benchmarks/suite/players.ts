import type { SearchPolicy } from '../../domain/tree/spec.js';

export interface Player {
  name: string;
  agent: string;
  /** Replaces the bundled greedy agent's `search:`. Trees of equal nodes and steps are compared. */
  search?: { policy: SearchPolicy; nodes: number; nodeSteps: number; parallel: number; [option: string]: unknown };
  models: readonly string[];
  attempts: number;
  maxSteps: number;
}

/** Ideas of each tree: one step that tries it, one that asks for its score. */
const IDEAS = 12;
const tree = (policy: SearchPolicy, options: Record<string, unknown> = {}): Player => ({
  name: policy,
  agent: `suite-${policy}`,
  search: { policy, nodes: IDEAS, nodeSteps: 2, parallel: 2, ...options },
  models: ['scripted:seeker'],
  attempts: 1,
  maxSteps: 2 * IDEAS,
});

/** An agent added here gets its own batch and section. */
export const PLAYERS: readonly Player[] = [
  {
    name: 'scripted',
    agent: 'default',
    models: ['scripted:baseline', 'scripted:oracle', 'scripted:clumsy'],
    attempts: 2,
    maxSteps: 50,
  },
  tree('linear'),
  tree('greedy', { drafts: 3 }),
  tree('mcts', { children: 3 }),
  tree('evolution', { population: 4 }),
];
