import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { progressListener } from '../../db/index.js';
import type { ProgressEvents } from '../../domain/ports/progress-events.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let progress: ProgressEvents;
beforeAll(async () => {
  const url = await server.createDatabase();
  progress = progressListener(url);
});
afterAll(() => progress.close());

test('whoever waits leaves nothing on its signal', async () => {
  const gone = new AbortController();
  const news = progress.next('r-1');
  for (let wait = 0; wait < 3; wait += 1) await news.within(1, gone.signal);
  expect(getEventListeners(gone.signal, 'abort')).toHaveLength(0);
  const waiting = news.within(60_000, gone.signal);
  gone.abort();
  await waiting;
  expect(getEventListeners(gone.signal, 'abort')).toHaveLength(0);
  news.cancel();
});
