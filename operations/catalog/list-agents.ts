import { listAgents as agentsOf } from '../../catalog/index.js';
import type { AgentsDocument } from '../../domain/views/catalog.js';
import type { Notice } from '../notices.js';
import { configPlace, type PlaceSettings } from './config-place.js';

/** Broken agent files are reported as notices too. */
export function listAgents({
  settings,
  notify,
}: {
  settings: PlaceSettings;
  notify: (notice: Notice) => void;
}): AgentsDocument {
  const { agents, broken } = agentsOf(settings.configFolders);
  for (const file of broken) notify({ code: 'config.broken', file });
  return {
    agents: agents.map(({ name, config: { description, outputParser }, hash, entry }) => ({
      ...{ name, ...configPlace(settings, entry), description, outputParser, hash },
    })),
    broken,
  };
}
