import { setTimeout as sleep } from 'node:timers/promises';
import type { EventRow } from '../../domain/views/events.js';
import type { RunSummary } from '../../domain/views/runs.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';
import { isOutage } from '../as-bench-error.js';
import type { Bench } from '../bench.js';

const POLL_MS = 500;

export type RunProgress =
  /** All events, and the steps that may have changed since the last look. Of a run that has ended it comes last. */
  | { kind: 'look'; run: RunSummary; steps: TrajectoryStep[]; events: EventRow[] }
  /** Services do not answer, and are being started again. */
  | { kind: 'outage' }
  | { kind: 'recovered' };

/** A run's steps and events as they become known, until it has ended or the signal is aborted; `once`: as they are now. */
export async function* followRun(
  bench: Bench,
  runId: string,
  { once, signal }: { once: boolean; signal: AbortSignal },
): AsyncGenerator<RunProgress, void, undefined> {
  // Steps up to this one are complete and need not be read again.
  let completeThrough = 0;
  let waiting = false;
  for (;;) {
    try {
      const { queries } = await bench.database();
      // Asked first: what belongs to an ended run is then complete.
      const run = await queries.findRun(runId);
      const steps = await queries.trajectory(runId, completeThrough);
      const events = await queries.events({ runId });
      // A later step proves that the earlier ones are complete.
      completeThrough = Math.max(completeThrough, (steps.at(-1)?.step ?? 0) - 1);
      yield { kind: 'look', run, steps, events };
      if (waiting) yield { kind: 'recovered' };
      waiting = false;
      if (run.status === 'ended') return;
    } catch (error) {
      if (once || !isOutage(error)) throw error;
      if (!waiting) yield { kind: 'outage' };
      waiting = true;
      await bench.reconnect();
    }
    if (once || signal.aborted) return;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
  }
}
