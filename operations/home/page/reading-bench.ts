import type { Database } from '../../../db/index.js';
import type { Bench } from '../../bench.js';
import { storesOf } from '../../stores-of.js';

/** The same home, whose database is read as the role that may only select: whatever is asked, nothing is written. */
export function readingBench(bench: Bench): Bench {
  let database: Promise<Database> | null = null;
  const open = async (): Promise<Database> => {
    const databaseUrl = await bench.databaseUrl();
    const { openDatabase } = await import('../../../db/index.js');
    return openDatabase(databaseUrl, { max: 4, reads: true });
  };
  const close = async (): Promise<void> => {
    const opened = database;
    database = null;
    await opened?.then((one) => one.close()).catch(() => undefined);
  };
  const opening = (): Promise<Database> => {
    const opened = database ?? open();
    opened.catch(() => {
      if (database === opened) database = null;
    });
    return (database = opened);
  };
  return {
    ...bench,
    // The stores of `bench` itself would still read and write as its own role.
    ...storesOf(opening),
    database: opening,
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
