import type { SearchPolicy } from '../../domain/tree/spec.js';

/** A batch of the record: one agent with these models, all tasks of the suite. */
export interface Player {
  /** Name of the batch. */
  name: string;
  agent: string;
  /** The agent is the bundled greedy one with this `search:` block in place of its own. Those with equal nodes and steps are compared. */
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

/** Who plays. An agent that is added here gets a batch and a section of its own. */
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
