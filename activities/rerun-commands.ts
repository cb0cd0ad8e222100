import { commandLimits } from '../domain/agent/command-limits.js';
import { guardMultiline } from '../domain/agent/guard-multiline.js';
import { summarisedThrough, commandNumber } from '../domain/agent/step-text.js';
import { actionsOf } from '../domain/agent/parse-reply.js';
import { SandboxLost } from '../domain/errors.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { StepLog } from '../domain/ports/record/steps.js';
import type { CommandOutcome, SandboxPort } from '../domain/ports/sandbox-port.js';
import type { RecordedCommand, RunDefinition } from '../domain/run/run.js';
import { beginsNode } from '../domain/tree/node-rules.js';

type Ended = Pick<RecordedCommand, 'exitCode' | 'timedOut' | 'lost'>;

/**
 * Reruns commands of steps `after` + 1 to `through` in a new container, under their numbers, so
 * that a retry continues. A different end is an event. If the container dies, removes it and throws
 * SandboxLost. `removal` precedes a node's first command.
 */
export async function rerunCommands(
  {
    store,
    sandbox,
  }: { store: EventLog & Pick<StepLog, 'recordedCommands'>; sandbox: Pick<SandboxPort, 'run' | 'stop'> },
  run: RunDefinition,
  { epoch, after, through, removal }: { epoch: number; after: number; through: number; removal: string },
  signal: AbortSignal,
): Promise<void> {
  const { runId, batchId } = run;
  const ref = { runId, epoch };
  let first = true;
  for (const recorded of await store.recordedCommands(runId, { after, through })) {
    const { step, action } = recorded;
    if (summarisedThrough(run.agent, action) !== null) continue;
    let leftSeconds = ranAtMost(recorded);
    let last: CommandOutcome | null = null;
    for (const [at, one] of actionsOf(run, action).entries()) {
      const guarded = guardMultiline(one, run.agent.tools.commands);
      // It was refused, so it never ran; nor did what follows a request for an evaluation.
      if (guarded.kind === 'malformed') continue;
      if (last !== null && (last.requested !== null || last.lost || leftSeconds <= 0)) break;
      const { script } = guarded;
      const whole = beginsNode(run, step) && at === 0 ? `${removal}${script}` : script;
      const limits = commandLimits(script, run.task.limits, leftSeconds);
      const command = { n: commandNumber(step, at), script: whole, ...limits };
      const outcome = await sandbox.run(ref, command, signal);
      if (diedOnTheWay(outcome, recorded, first)) {
        await sandbox.stop(ref);
        throw new SandboxLost(`container ${epoch} died while rerunning the recorded commands, at step ${step}`);
      }
      first = false;
      last = outcome;
      leftSeconds -= outcome.ms / 1000;
    }
    if (last === null) continue;
    const [then, now] = [endOf(recorded), endOf(last)];
    if (then === now) continue;
    const detail = `step ${step}: the recorded command ${then}, but the rerun in container ${epoch} ${now}`;
    await store.addEvent({ runId, batchId, kind: 'rerun_diverged', key: `epoch-${epoch}-step-${step}`, detail });
  }
}

/** A command stopped by some limit gets the time that it took then. */
const ranAtMost = ({ timedOut, commandMs }: RecordedCommand): number =>
  timedOut && commandMs !== null ? Math.max(1, Math.ceil(commandMs / 1000)) : Infinity;

/** A command recorded as lost may kill the container each time. */
function diedOnTheWay({ lost, restarted }: CommandOutcome, recorded: Ended, first: boolean): boolean {
  if (recorded.lost || restarted !== true) return false;
  // Restarted before its first command, the container has lost nothing.
  return lost || !first;
}

function endOf({ exitCode, timedOut, lost }: Ended): string {
  if (lost) return 'was lost';
  return timedOut ? 'was stopped by a limit' : `ended with ${exitCode ?? 'no exit code'}`;
}
