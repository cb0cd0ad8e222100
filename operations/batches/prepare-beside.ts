import type { Backend } from '../../domain/run.js';
import type { Bench } from '../bench.js';
import { chooseBackend } from './choose-backend.js';

/**
 * At first use both the services and the images take minutes, one of a compiler and one of a network: side by side. What fails here is
 * tried again, and told, by whoever needs it.
 */
export async function prepareBeside(bench: Bench, backend: Backend | undefined): Promise<void> {
  const images = (signal: AbortSignal): Promise<unknown> =>
    chooseBackend(quiet(bench), backend ?? null, [], { prepare: { signal } });
  await Promise.allSettled([
    bench.services(),
    ...(backend === 'local' ? [] : [bench.abortable('batch-images', images)]),
  ]);
}

/** Only what happens is said, not which backend it will be. */
const quiet = (bench: Bench): Bench => ({
  ...bench,
  notify: (notice) => {
    if (notice.code === 'progress') bench.notify(notice);
  },
});
