/** A batch of the record: one agent with these models, all tasks of the suite. Those of equal budget may be read side by side. */
export interface Player {
  /** Name of the batch. */
  name: string;
  agent: string;
  models: readonly string[];
  attempts: number;
  maxSteps: number;
}

/** Who plays. An agent that is added here gets a batch and a section of its own. */
export const PLAYERS: readonly Player[] = [
  {
    name: 'scripted',
    agent: 'default',
    models: ['scripted:baseline', 'scripted:oracle', 'scripted:clumsy'],
    attempts: 2,
    maxSteps: 50,
  },
];
