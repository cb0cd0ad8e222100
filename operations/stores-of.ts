import type { Stores } from '../domain/ports/stores.js';
import { deferred } from './deferred.js';

/** The database is opened at the first call of a store. */
export function storesOf(database: () => Promise<Stores>): Stores {
  const one =
    <Name extends keyof Stores>(name: Name) =>
    async (): Promise<Stores[Name]> =>
      (await database())[name];
  return {
    store: deferred(one('store'), { shownSteps: true }),
    queries: deferred(one('queries'), {}),
    pages: deferred(one('pages'), {}),
    turns: deferred(one('turns'), {}),
    episodes: deferred(one('episodes'), {}),
    rollouts: deferred(one('rollouts'), {}),
    notifications: deferred(one('notifications'), {}),
    rates: deferred(one('rates'), {}),
    rateControl: deferred(one('rateControl'), {}),
    pruning: deferred(one('pruning'), {}),
    deletion: deferred(one('deletion'), {}),
    keys: deferred(one('keys'), {}),
    intake: deferred(one('intake'), {}),
    batchControl: deferred(one('batchControl'), {}),
    comparisons: deferred(one('comparisons'), {}),
    schedules: deferred(one('schedules'), {}),
    exports: deferred(one('exports'), { line: true, episodes: true }),
    imports: deferred(one('imports'), {}),
  };
}
