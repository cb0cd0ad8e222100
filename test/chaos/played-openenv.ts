import type { EnvServer } from '../setup/env-server.js';
import { OpenEnvClient, type Reply } from '../setup/open-env-client.js';
import { ClientPlayer } from './client-player.js';
import { actionsOf, type Told } from './played-episode.js';

/**
 * Plays an episode of `stated` in OpenEnv's frames, with the unmodified client if there is one.
 * Without a key nothing is repeated: the connection survives deaths behind the front. With one, a
 * frame lost with the front is sent again.
 */
export async function playOpenEnv(
  server: EnvServer,
  { number, key }: { number: number; key: string | null },
  onStep: () => void,
): Promise<Told[]> {
  const unmodified = ClientPlayer.of('openenv', server, number);
  if (unmodified !== null) {
    const told: Told[] = [];
    for (const command of actionsOf(number)) {
      told.push(await unmodified.act(command));
      onStep();
    }
    await unmodified.close();
    return told;
  }
  const open = () => OpenEnvClient.connect(key === null ? server.url : `${server.url}/s/${key}`);
  const opened = async (): Promise<OpenEnvClient> => {
    for (;;) {
      const client = await open().catch((error: unknown) => {
        if (key === null) throw error;
      });
      if (client !== undefined) return client;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  let client = await opened();
  const ask = async (type: string, data: Record<string, unknown>): Promise<Reply['data']> => {
    for (;;) {
      if (client.socket.readyState === client.socket.OPEN) client.send({ type, data });
      const reply = await client.next();
      if (reply?.type === 'observation') return reply.data;
      if (reply !== null || key === null) throw new Error(JSON.stringify(reply));
      client = await opened();
    }
  };
  await ask('reset', { task: 'stated', seed: number });
  const told: Told[] = [];
  for (const command of actionsOf(number)) {
    let answer = await ask('step', { command });
    while (answer.metadata['status'] === 'running') answer = await ask('step', { command: 'wait' });
    const { observation, reward, metadata } = answer;
    const { terminated, truncated, evaluation } = metadata as {
      terminated: boolean;
      truncated: boolean;
      evaluation: { primary: number } | null;
    };
    told.push({ message: observation.message, reward, terminated, truncated, score: evaluation?.primary ?? null });
    onStep();
  }
  client.send({ type: 'close' });
  await client.closed;
  return told;
}
