import { listAgents as agentsOf } from '../../catalog/index.js';
import type { AgentsDocument } from '../../domain/views/catalog.js';
import type { Bench } from '../bench.js';
import { configPlace } from './config-place.js';

/** The agent configurations of this home; those that are broken are told as notices too. */
export function listAgents({ settings, notify }: Pick<Bench, 'settings' | 'notify'>): AgentsDocument {
  const { agents, broken } = agentsOf(settings.configFolders);
  for (const file of broken) notify({ code: 'config.broken', file });
  return {
    agents: agents.map(({ name, config: { description, outputParser }, hash, entry }) => ({
      ...{ name, ...configPlace(settings, entry), description, outputParser, hash },
    })),
    broken,
  };
}
