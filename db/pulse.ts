import pg from 'pg';
import { connectionSettings } from './connection-settings.js';

/** A connection of its own, since a full pool must not look like a dead server. */
export interface Pulse {
  /** Rejects without an answer in time. */
  ask(ms: number): Promise<void>;
  close(): Promise<void>;
}

export function openPulse(databaseUrl: string): Pulse {
  const pool = new pg.Pool({ ...connectionSettings(databaseUrl), max: 1, allowExitOnIdle: true });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    async ask(ms) {
      // Bounds the sum of connecting and answering, too.
      let late: NodeJS.Timeout | undefined;
      const bound = new Promise<never>((_, reject) => {
        late = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
      });
      // pg's types lack query_timeout, which each query takes.
      const question = { text: 'select 1', query_timeout: ms };
      await Promise.race([pool.query(question), bound]).finally(() => clearTimeout(late));
    },
    close: () => pool.end(),
  };
}
