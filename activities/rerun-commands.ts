import { commandLimits } from '../domain/agent/command-limits.js';
import { guardMultiline } from '../domain/agent/guard-multiline.js';
import { SandboxLost } from '../domain/errors.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { StepLog } from '../domain/ports/record/steps.js';
import type { CommandOutcome, SandboxPort } from '../domain/ports/sandbox-port.js';
import type { RunDefinition, StepRecord } from '../domain/run.js';

type Recorded = Pick<StepRecord, 'exitCode' | 'timedOut' | 'lost'>;

/**
 * Run the recorded commands of the steps `after` + 1 to `through` again in a new container. They are handed over by their numbers:
 * a retry goes on where its predecessor broke off. One that ends otherwise than on record is told as an event. Throws SandboxLost,
 * with the container removed, if that died on the way: then it holds something else than what the commands make.
 */
export async function rerunCommands(
  { store, sandbox }: { store: EventLog & Pick<StepLog, 'transcript'>; sandbox: Pick<SandboxPort, 'run' | 'stop'> },
  run: RunDefinition,
  { epoch, after, through }: { epoch: number; after: number; through: number },
  signal: AbortSignal,
): Promise<void> {
  const { runId, batchId } = run;
  const ref = { runId, epoch };
  let first = true;
  for (const recorded of await store.transcript(runId)) {
    const { step, action } = recorded;
    if (step <= after || step > through || action === null) continue;
    const guarded = guardMultiline(action, run.agent.tools.commands);
    // It was refused then.
    if (guarded.kind === 'malformed') continue;
    const { script } = guarded;
    const command = { n: step, script, ...commandLimits(script, run.task.limits, ranAtMost(recorded)) };
    const outcome = await sandbox.run(ref, command, signal);
    if (diedOnTheWay(outcome, recorded, first)) {
      await sandbox.stop(ref);
      throw new SandboxLost(`container ${epoch} died while the commands on record were rerun in it, at step ${step}`);
    }
    first = false;
    const [then, now] = [endOf(recorded), endOf(outcome)];
    if (then === now) continue;
    const detail = `step ${step}: on record the command ${then}, rerun in container ${epoch} it ${now}`;
    await store.addEvent({ runId, batchId, kind: 'rerun_differs', key: `epoch-${epoch}-step-${step}`, detail });
  }
}

/** A command that a limit stopped had its effects for so long; what limit, as the rest of the run's time, is on no record. */
const ranAtMost = ({ timedOut, commandMs }: StepRecord): number =>
  timedOut && commandMs !== null ? Math.max(1, Math.ceil(commandMs / 1000)) : Infinity;

/** A command that was lost on record may have been what ended the container, and may do so every time. */
function diedOnTheWay({ lost, restarted }: CommandOutcome, recorded: Recorded, first: boolean): boolean {
  if (recorded.lost || restarted !== true) return false;
  // Restarted before anything had run in it, the container has lost nothing.
  return lost || !first;
}

function endOf({ exitCode, timedOut, lost }: Recorded): string {
  if (lost) return 'was lost';
  return timedOut ? 'was stopped by a limit' : `ended with ${exitCode ?? 'no exit code'}`;
}
