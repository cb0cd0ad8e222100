import pg from 'pg';
import { connectionSettings } from './connection-settings.js';

/** A connection of its own for one question: does PostgreSQL answer? A full pool must not look like a dead server. */
export interface Pulse {
  /** Rejects if it has not answered within so long. */
  ask(ms: number): Promise<void>;
  close(): Promise<void>;
}

export function openPulse(databaseUrl: string): Pulse {
  const pool = new pg.Pool({ ...connectionSettings(databaseUrl), max: 1, allowExitOnIdle: true });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    async ask(ms) {
      // Both its connection and its answer may take that long: the sum is bounded, too.
      let late: NodeJS.Timeout | undefined;
      const bound = new Promise<never>((_, reject) => {
        late = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
      });
      // Typed without it, though pg has it for each query.
      const question = { text: 'select 1', query_timeout: ms };
      await Promise.race([pool.query(question), bound]).finally(() => clearTimeout(late));
    },
    close: () => pool.end(),
  };
}
