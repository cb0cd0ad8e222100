import { SandboxLost, SupervisorAway } from '../../../domain/errors.js';
import type {
  CommandOutcome,
  ExecResult,
  ProgramHost,
  SandboxCommand,
  SandboxExec,
  SandboxRef,
} from '../../../domain/ports/sandbox-port.js';
import { answerProgram, followProgram, tellWaited } from '../../shell/shell-client.js';
import { withEngineErrors } from '../engine-errors.js';
import { channelTo, foldersOf, type SandboxContext } from './context.js';
import { withSupervisor } from './supervisor.js';

export async function runCommand(
  context: SandboxContext,
  ref: SandboxRef,
  command: SandboxCommand,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { found, awoken, outOfMemory } = await withSupervisor(context, ref, `command ${command.n}`, () =>
    channelTo(context, ref).run(command, signal),
  );
  if (!awoken) return found;
  return { ...found, restarted: true, ...(outOfMemory && { memoryKills: 1 + (found.memoryKills ?? 0) }) };
}

export async function runExec(
  context: SandboxContext,
  ref: SandboxRef,
  exec: SandboxExec,
  signal: AbortSignal,
): Promise<ExecResult> {
  return (await withSupervisor(context, ref, `exec ${exec.key}`, () => channelTo(context, ref).exec(exec, signal)))
    .found;
}

export const stopExec = (context: SandboxContext, ref: SandboxRef, key: string): Promise<void> =>
  withEngineErrors(`stopping exec ${key} of run ${ref.runId}`, () => channelTo(context, ref).stopExec(key)).catch(
    unlessStopped,
  );

export const interrupt = (context: SandboxContext, ref: SandboxRef, n: number): Promise<void> =>
  withEngineErrors(`interrupting command ${n} of run ${ref.runId}`, () => channelTo(context, ref).interrupt(n)).catch(
    unlessStopped,
  );

export const printed = (context: SandboxContext, ref: SandboxRef, n: number): Promise<string> =>
  withEngineErrors(`asking what run ${ref.runId} prints`, () => channelTo(context, ref).printed(n)).catch(
    (error: unknown) => unlessStopped(error) ?? '',
  );

export const programHost = (context: SandboxContext): ProgramHost => ({
  async run(ref, command, signal) {
    const { control } = foldersOf(context, ref);
    return (await withSupervisor(context, ref, 'the program', () => followProgram(control, command, signal))).found;
  },
  answer: (ref, number, text) =>
    withEngineErrors(`answering the program of run ${ref.runId}`, () =>
      answerProgram(foldersOf(context, ref).control, number, text),
    ).catch(unlessStopped),
  interrupt: (ref, n) => interrupt(context, ref, n),
  waited: (ref, n, waited) =>
    withEngineErrors(`the clock of run ${ref.runId}`, () =>
      tellWaited(foldersOf(context, ref).control, n, waited),
    ).catch(unlessStopped),
  gatewayFolder: (ref) => foldersOf(context, ref).gateway,
});

/** A stopped or missing container runs nothing. */
function unlessStopped(error: unknown): undefined {
  if (!(error instanceof SupervisorAway) && !(error instanceof SandboxLost)) throw error;
}
