import type { Backend } from '../../domain/run/run.js';
import type { Notice } from '../notices.js';
import { chooseBackend, type EnginePorts, withImages } from './choose-backend.js';

export interface PrepareBesidePorts extends EnginePorts {
  services(): Promise<unknown>;
  abortable<T>(what: 'batch-images', work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/**
 * At first use services and images take minutes each, CPU for one and network for the other:
 * prepare both at once. The verb that needs a part retries it and reports its failure.
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

/** The choice of a backend may still change, so it is not reported. */
const onlyProgress = ({ settings, notify }: EnginePorts): EnginePorts => ({
  settings,
  notify: (notice: Notice) => {
    if (notice.code === 'progress') notify(notice);
  },
});
