import { embeddedDatabaseUrl, markDown, servicesStatus, stopServices } from '../../services/index.js';
import type { DownDocument } from '../../domain/views/home.js';
import type { Notice } from '../notices.js';
import type { BenchSettings } from '../settings.js';

export interface DownPorts {
  settings: Pick<BenchSettings, 'home' | 'databaseUrl'>;
  notify: (notice: Notice) => void;
}

export interface StoppedServices {
  /** False: nothing ran. */
  ran: boolean;
  stopped: DownDocument['stopped'];
  /** Null: nothing ran, or the database did not answer. */
  unfinishedRuns: number | null;
}

/**
 * Stops this home's services; read-only callers do not restart them. Calls `mayStop` if runs are
 * unfinished, or their number is unknown (null); if it throws, nothing is stopped.
 */
export async function down(
  { settings, notify }: DownPorts,
  mayStop: (unfinishedRuns: number | null) => Promise<void> = () => Promise.resolve(),
): Promise<StoppedServices> {
  const { home, databaseUrl } = settings;
  const status = servicesStatus(home);
  if (!status.running && status.services.every((service) => service.pid === null)) {
    markDown(home);
    return { ran: false, stopped: [], unfinishedRuns: null };
  }
  const unfinished = await unfinishedRuns(databaseUrl ?? embeddedDatabaseUrl(home));
  if (unfinished !== 0) await mayStop(unfinished);
  const { stopped } = await stopServices({
    home,
    stayDown: true,
    onProgress: (line) => notify({ code: 'progress', line }),
  });
  return { ran: true, stopped, unfinishedRuns: unfinished };
}

/** Null: the database does not answer. */
async function unfinishedRuns(databaseUrl: string | null): Promise<number | null> {
  if (databaseUrl === null) return 0;
  const { openDatabase } = await import('../../db/index.js');
  const database = openDatabase(databaseUrl, { max: 1 });
  try {
    return await database.queries.unfinishedRuns();
  } catch (error) {
    return hasNoTables(error) ? 0 : null;
  } finally {
    await database.close().catch(() => undefined);
  }
}

/** The first start failed before it created tables. */
function hasNoTables(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth++) {
    if ((at as NodeJS.ErrnoException).code === '42P01') return true;
  }
  return false;
}
