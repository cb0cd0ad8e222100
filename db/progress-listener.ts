import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { ProgressEvents } from '../domain/ports/progress-events.js';
import { connectionSettings } from './connection-settings.js';

/** While the connection is away, and in case a notification is lost, listeners look by themselves so often. */
const LOOK_MS = 1_000;
/** The same for answers: many runs wait for one, and their workers look when the connection is back. */
const ANSWER_LOOK_MS = 5_000;
/** The event of every run's news. */
const ANY = Symbol('any run');

/**
 * Tells when runs that are played from outside ask or end, by one connection that listens. It connects again by itself;
 * until then those who wait look once a second.
 */
export const progressListener = (databaseUrl: string): ProgressEvents =>
  listener(databaseUrl, { channel: 'bench_progress', lookMs: LOOK_MS });

/** The same of answers to turns of runs for which a worker listens. */
export const answerListener = (databaseUrl: string): ProgressEvents =>
  listener(databaseUrl, { channel: 'bench_answers', lookMs: ANSWER_LOOK_MS });

function listener(databaseUrl: string, { channel, lookMs }: { channel: string; lookMs: number }): ProgressEvents {
  const events = new EventEmitter().setMaxListeners(0);
  let client: pg.Client | null = null;
  let closed = false;
  let retry: NodeJS.Timeout | null = null;

  const connect = async (): Promise<void> => {
    const fresh = new pg.Client({ ...connectionSettings(databaseUrl), application_name: `bench ${channel}` });
    const lost = (): void => {
      if (client !== fresh) return;
      client = null;
      again();
    };
    fresh.on('error', lost);
    fresh.on('end', lost);
    fresh.on('notification', ({ payload }) => {
      if (payload !== undefined) events.emit(payload);
      events.emit(ANY);
    });
    client = fresh;
    try {
      await fresh.connect();
      await fresh.query(`listen ${channel}`);
    } catch {
      lost();
      await fresh.end().catch(() => undefined);
    }
  };
  const again = (): void => {
    if (closed || retry !== null) return;
    retry = setTimeout(() => {
      retry = null;
      void connect();
    }, 500);
  };
  void connect();

  return {
    next(runId) {
      const event = runId ?? ANY;
      let heard: () => void = () => undefined;
      const news = new Promise<void>((resolve) => (heard = resolve));
      events.once(event, heard);
      return {
        async within(ms, signal) {
          let wake: () => void = () => undefined;
          const late = new Promise<void>((resolve) => (wake = resolve));
          const timer = setTimeout(wake, Math.min(ms, lookMs));
          // A connection's signal is waited with at each of its steps.
          signal?.addEventListener('abort', wake);
          await Promise.race([news, late]);
          clearTimeout(timer);
          signal?.removeEventListener('abort', wake);
        },
        cancel: () => void events.off(event, heard),
      };
    },
    async close() {
      closed = true;
      if (retry !== null) clearTimeout(retry);
      const open = client;
      client = null;
      await open?.end().catch(() => undefined);
    },
  };
}
