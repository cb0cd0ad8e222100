import type { Client } from '@temporalio/client';
import { scheduleActivities } from '../activities/schedules.js';
import type { Database } from '../db/index.js';
import type { ScheduleActivities } from '../domain/model/messages.js';
import type { WorkerSettings } from '../operations/home/worker-settings.js';
import type { Logger } from './logger.js';

export interface ScheduledWorkParts {
  settings: WorkerSettings;
  env: Readonly<Record<string, string | undefined>>;
  database: Database;
  temporal: Client;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Verbs of schedules, with this worker's services. Loaded at the first use: submit is large. */
export const scheduledWork = (parts: ScheduledWorkParts): ScheduleActivities =>
  scheduleActivities({
    async submit(at) {
      const [{ submitScheduled }, { readSettings }] = await Promise.all([
        import('../operations/schedules/submit-scheduled.js'),
        import('../operations/settings.js'),
      ]);
      const { settings, env, database, temporal, log } = parts;
      // Where this worker calls no models or plays no runs, others have the keys and the engines.
      const whole = settings.roles.includes('models') && settings.roles.includes('host');
      const read = readSettings(env, process.cwd(), settings.assetsRoot);
      const ports = {
        ...database,
        settings: { ...read, worker: whole ? ('embedded' as const) : ('external' as const) },
        notify: (notice: { code: string }) => log.info({ schedule: at.schedule }, notice.code),
        abortable: <T>(_what: string, work: (signal: AbortSignal) => Promise<T>) => work(new AbortController().signal),
        ifDatabaseAnswers: <T>(use: (stores: Database) => Promise<T>) => use(database),
        services: () => Promise.resolve(),
        renewWorker: () => Promise.resolve(),
        temporal: () => Promise.resolve(temporal),
      };
      return submitScheduled(ports, at);
    },
    async decide(at) {
      const { decideScheduled } = await import('../operations/schedules/decide-scheduled.js');
      return decideScheduled(parts.database, at);
    },
  });
