import { EventEmitter } from 'node:events';
import pg from 'pg';
import type { ProgressEvents } from '../domain/ports/progress-events.js';
import { connectionSettings } from './connection-settings.js';

/** Interval of looks without a connection, or against lost notifications. */
const LOOK_MS = 1_000;
const ANSWER_LOOK_MS = 5_000;
const ANY = Symbol('any run');

/** Reconnects by itself; until then waiting callers look once a second. */
export const progressListener = (databaseUrl: string): ProgressEvents =>
  listener(databaseUrl, { channel: 'bench_progress', lookMs: LOOK_MS });

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
          // One signal serves each wait of a connection.
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
