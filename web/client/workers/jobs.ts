import { alignSteps } from './align-steps.js';
import { diffOf } from './diff-lines.js';

/** They may take hundreds of milliseconds, which would block scrolling and typing. */
export const JOBS = { alignSteps, diffOf };
export type Jobs = typeof JOBS;
export type JobName = keyof Jobs;

export interface Asked {
  id: number;
  name: JobName;
  given: unknown[];
}
export type Answered = { id: number; found: unknown } | { id: number; failed: string };
