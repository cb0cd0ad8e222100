import type { Backend } from '../../domain/run/run.js';
import type { Notice } from '../notices.js';
import { chooseBackend, type EnginePorts, withImages } from './choose-backend.js';

export interface PrepareBesidePorts extends EnginePorts {
  services(): Promise<unknown>;
  abortable<T>(what: 'batch-images', work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/**
 * At first use both the services and the images take minutes, one of a compiler and one of a
 * network: side by side. What fails here is tried again, and reported, by the verb that needs it.
 */
export async function prepareBeside(ports: PrepareBesidePorts, backend: Backend | undefined): Promise<void> {
  const requested = backend ?? null;
  const quiet = onlyProgress(ports);
  const images = async (signal: AbortSignal): Promise<unknown> =>
    withImages(quiet, { chosen: await chooseBackend(quiet, requested, []), requested, models: [] }, signal);
  await Promise.allSettled([
    ports.services(),
    ...(backend === 'local' ? [] : [ports.abortable('batch-images', images)]),
  ]);
}

/** The choice of a backend is not reported: it may change. */
const onlyProgress = ({ settings, notify }: EnginePorts): EnginePorts => ({
  settings,
  notify: (notice: Notice) => {
    if (notice.code === 'progress') notify(notice);
  },
});
