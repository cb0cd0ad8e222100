import { type JobName, type Jobs, JOBS } from '../workers/jobs.js';

/** Takes the place of workers/off-thread.ts in an export: browsers start no worker from disk. */
export async function offThread<Name extends JobName>(
  name: Name,
  ...given: Parameters<Jobs[Name]>
): Promise<ReturnType<Jobs[Name]>> {
  // What is shown meanwhile is drawn first.
  await new Promise((resolve) => setTimeout(resolve));
  return (JOBS[name] as (...of: unknown[]) => ReturnType<Jobs[Name]>)(...given);
}
export const warmThread = (): void => undefined;
