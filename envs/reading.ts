import type { ServerResponse } from 'node:http';
import type { Play } from './play.js';

/** HTTP responses in flight: the next request waits until one is known to be read or lost. */
export interface Reading {
  /** An outcome leaves with this response; once all is sent, an equal step is a new one. */
  leaves(key: string, response: ServerResponse, outcome: { runId: string; seq: number }): void;
  /** Resolves when nothing of this key is in flight. */
  over(key: string): Promise<void>;
}

export function openReading(play: Pick<Play, 'delivered'>): Reading {
  const pending = new Map<string, Promise<void>>();
  return {
    leaves(key, response, { runId, seq }) {
      // Its client has disconnected already, so no event follows.
      if (response.destroyed) return;
      const left = new Promise<boolean>((resolve) => {
        response.once('finish', () => resolve(true)).once('close', () => resolve(false));
      });
      const read = left
        .then((whole) => (whole ? play.delivered(runId, seq) : undefined))
        .catch(() => undefined)
        .finally(() => {
          if (pending.get(key) === read) pending.delete(key);
        });
      pending.set(key, read);
    },
    async over(key) {
      await pending.get(key);
    },
  };
}
