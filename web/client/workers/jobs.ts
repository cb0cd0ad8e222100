import { alignSteps } from './align-steps.js';
import { diffOf } from './diff-lines.js';

/** What may take hundreds of milliseconds, and is never done where people scroll and type. */
export const JOBS = { alignSteps, diffOf };
export type Jobs = typeof JOBS;
export type JobName = keyof Jobs;

export interface Asked {
  id: number;
  name: JobName;
  given: unknown[];
}
export type Answered = { id: number; found: unknown } | { id: number; failed: string };
