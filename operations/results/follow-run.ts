import { setTimeout as sleep } from 'node:timers/promises';
import type { EventReads } from '../../domain/ports/reading/events.js';
import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { TrajectoryReads } from '../../domain/ports/reading/trajectories.js';
import type { EventRow } from '../../domain/views/events.js';
import type { RunSummary } from '../../domain/views/runs.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';
import { isOutage } from '../as-bench-error.js';

const POLL_MS = 500;
/** More than one: each poll then has a complete one. A step may have printed 128 KiB. */
const STEPS_AT_ONCE = 20;

export type RunProgress =
  /** Steps that may have changed, in parts, with the events until then; `isOver`: the last look. */
  | { kind: 'look'; run: RunSummary; steps: TrajectoryStep[]; events: EventRow[]; isOver: boolean }
  | { kind: 'outage' }
  | { kind: 'recovered' };

export interface FollowRunPorts {
  queries: Pick<RunReads, 'findRun'> & EventReads & Pick<TrajectoryReads, 'trajectory'>;
  /** Closes broken connections: the next read connects again. */
  reconnect(): Promise<void>;
}

/** A run's steps and events until it ends or the signal aborts; `once`: as they are now. */
export async function* followRun(
  ports: FollowRunPorts,
  runId: string,
  { once, signal }: { once: boolean; signal: AbortSignal },
): AsyncGenerator<RunProgress, void, undefined> {
  const { queries } = ports;
  // Steps up to this one are complete and are not read again.
  let completeThrough = 0;
  let waiting = false;
  for (;;) {
    try {
      // Read first: an ended run's steps and events are then complete.
      const run = await queries.findRun(runId);
      const events = await queries.events({ runId });
      const isEnded = run.status === 'ended';
      for (let more = true; more;) {
        const steps = await queries.trajectory(runId, completeThrough, STEPS_AT_ONCE);
        const last = steps.at(-1);
        more = steps.length === STEPS_AT_ONCE;
        // A later step proves that the earlier ones are complete.
        completeThrough = Math.max(completeThrough, (last?.step ?? 0) - 1);
        const until = more ? events.filter(({ at }) => at <= (last?.at ?? at)) : events;
        yield { kind: 'look', run, steps, events: until, isOver: isEnded && !more };
      }
      if (waiting) yield { kind: 'recovered' };
      waiting = false;
      if (isEnded) return;
    } catch (error) {
      if (once || !isOutage(error)) throw error;
      if (!waiting) yield { kind: 'outage' };
      waiting = true;
      await ports.reconnect();
    }
    if (once || signal.aborted) return;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
  }
}
