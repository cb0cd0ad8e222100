import { listAgents as agentsOf } from '../../catalog/index.js';
import type { ListedAgent } from '../../domain/views/catalog.js';
import type { BenchSettings } from '../settings.js';

/** The agent configurations of this home. */
export const listAgents = ({ settings }: { settings: BenchSettings }): ListedAgent[] =>
  agentsOf(settings.configsDir).map(({ name, config: { description, outputParser }, hash }) => ({
    ...{ name, description, outputParser, hash },
  }));
