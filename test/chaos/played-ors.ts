import type { EnvServer } from '../setup/env-server.js';
import { OrsClient, type OrsResult } from '../setup/ors-client.js';
import { ClientPlayer, type Player } from './client-player.js';
import { actionsOf, type Told } from './played-episode.js';

/** A session of `stated` over ORS, by its Python client or like it. Throws what that raises. */
export async function openOrs(server: EnvServer, number: number): Promise<Player> {
  const unmodified = ClientPlayer.of('ors', server, number);
  if (unmodified !== null) return unmodified;
  const client = new OrsClient(server);
  // Rewards as over the other protocols, not at the end alone.
  const spec = { task: 'stated', seed: number, reward: { mode: 'delta_prev' } };
  const { status, text } = await client.retried(() => client.open({ task_spec: spec, env_name: 'bench' }));
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return { act: async (command) => toldBy(await callOrs(client, command)), close: async () => undefined };
}

async function callOrs(client: OrsClient, command: string): Promise<OrsResult['output']> {
  const named = command === 'validate' || command === 'submit';
  const { result } = await (named ? client.call(command) : client.call('run', { command }));
  if (!result.ok) throw new Error(`${command}: ${JSON.stringify(result)}`);
  return result.output;
}

function toldBy({ blocks, metadata, reward }: OrsResult['output']): Told {
  const { terminated, truncated, evaluation } = metadata as {
    terminated: boolean;
    truncated: boolean;
    evaluation: { primary: number } | null;
  };
  const message = blocks.map(({ text }) => text).join('');
  return { message, reward, terminated, truncated, score: evaluation?.primary ?? null };
}

/** Plays an episode of `stated` over ORS, with only the client's own retries. */
export async function playOrs(server: EnvServer, number: number, onStep: () => void): Promise<Told[]> {
  const client = await openOrs(server, number);
  const told: Told[] = [];
  for (const command of actionsOf(number)) {
    told.push(await client.act(command));
    onStep();
  }
  await client.close();
  return told;
}
