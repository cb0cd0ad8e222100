import { type JobName, type Jobs, JOBS } from '../workers/jobs.js';

/** Replaces workers/off-thread.ts in an export: browsers start no worker from disk. */
export async function offThread<Name extends JobName>(
  name: Name,
  ...given: Parameters<Jobs[Name]>
): Promise<ReturnType<Jobs[Name]>> {
  // Let the page render first.
  await new Promise((resolve) => setTimeout(resolve));
  return (JOBS[name] as (...of: unknown[]) => ReturnType<Jobs[Name]>)(...given);
}
export const warmThread = (): void => undefined;
