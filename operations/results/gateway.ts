import { listAgents } from '../../catalog/index.js';
import { GATEWAY_PORT } from '../../domain/agent/program.js';
import { WIRES } from '../../domain/gateway/wires.js';
import type { FleetReads } from '../../domain/ports/reading/fleet.js';
import type { GatewayDocument } from '../../domain/views/gateway.js';
import type { BenchSettings } from '../settings.js';

/** What the gateways of this home's workers serve: the models of runs whose agents are programs. */
export async function gateway({
  queries,
  settings,
}: {
  queries: Pick<FleetReads, 'gatewayRuns'>;
  settings: Pick<BenchSettings, 'configFolders'>;
}): Promise<GatewayDocument> {
  const { agents } = listAgents(settings.configFolders);
  return {
    address: `http://127.0.0.1:${GATEWAY_PORT}`,
    routes: [...WIRES.map(({ path }) => `POST ${path}`), 'POST /v1/messages/count_tokens', 'GET /v1/models', 'HEAD /'],
    agents: agents.filter(({ config }) => config.program !== undefined).map(({ name }) => name),
    runs: await queries.gatewayRuns(),
  };
}
