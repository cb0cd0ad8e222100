import type { RunDefinition } from '../run/run.js';

export const VIEW_IMAGE = 'view_image';

type Seer = Pick<RunDefinition, 'agent'> & Partial<Pick<RunDefinition, 'model'>>;

/** Models without a file are ours, or people. A server of one's own may refuse images. */
const seesImages = ({ model }: Pick<Seer, 'model'>): boolean => {
  const config = model?.config;
  return config !== undefined && (config.images ?? config.provider !== 'openai-compatible');
};

/** Whether this run's images are stored, and shown to its model. */
export const showsImages = (run: Seer): boolean =>
  seesImages(run) && run.agent.tools.commands.some(({ name }) => name === VIEW_IMAGE);

/** The commands that a run's model is offered. */
export const offeredCommands = (run: Seer): RunDefinition['agent']['tools']['commands'] =>
  seesImages(run) ? run.agent.tools.commands : run.agent.tools.commands.filter(({ name }) => name !== VIEW_IMAGE);
