import type { Stores } from '../../../domain/ports/stores.js';
import { storesOf } from '../../stores-of.js';

export interface ReadingPorts extends Stores {
  databaseUrl(): Promise<string>;
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** The same home; its stores connect as the role that may only select, so no request writes. */
export function readingBench<Ports extends ReadingPorts>(bench: Ports): Ports {
  const open = async () => {
    const databaseUrl = await bench.databaseUrl();
    const { openDatabase } = await import('../../../db/index.js');
    return openDatabase(databaseUrl, { max: 4, reads: true });
  };
  let opened: ReturnType<typeof open> | null = null;
  const database = (): ReturnType<typeof open> => {
    const opening = opened ?? open();
    opening.catch(() => {
      if (opened === opening) opened = null;
    });
    return (opened = opening);
  };
  const close = async (): Promise<void> => {
    const closing = opened;
    opened = null;
    await closing?.then((one) => one.close()).catch(() => undefined);
  };
  return {
    ...bench,
    ...storesOf(database),
    database,
    async reconnect() {
      await close();
      await bench.reconnect();
    },
    async close() {
      await close();
      await bench.close();
    },
  };
}
