import type { Client } from '@temporalio/client';
import type { Episodes } from '../../domain/ports/episodes.js';
import { startRunWorkflow } from '../../temporal/start-run.js';

export interface WantPorts {
  episodes: Pick<Episodes, 'want'>;
  temporal(): Promise<Client>;
}

/** Starts the run's workflow if needed: its sandbox starts while the policy thinks. */
export async function wantEpisode(ports: WantPorts, runId: string): Promise<void> {
  const ticket = await ports.episodes.want(runId);
  if (ticket !== null) await startRunWorkflow(await ports.temporal(), ticket);
}
