import type { Socket } from 'node:net';
import { InfrastructureError, SupervisorAway } from '../../domain/errors.js';
import type { CommandOutcome, OffClock, ProgramNews, SandboxCommand } from '../../domain/ports/sandbox-port.js';
import { connectToSupervisor, readOutcome } from './control-directory.js';
import { replySchema, type ControlReply, type ControlRequest } from './protocol.js';

/** Then the supervisor counts as hung. Allows for escalation, reading, and a loaded machine. */
export const PATIENCE_MS = 120_000;
export const SHORT_ANSWER_MS = 10_000;

export async function runCommand(
  control: string,
  command: SandboxCommand,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const news = await followCommand(control, command, signal, false);
  if (news.kind === 'asked') throw new InfrastructureError(`command ${command.n} in ${control} is a program`);
  return news.outcome;
}

/** Like `runCommand`, but returns also when the program requests a validation. */
export async function followProgram(
  control: string,
  command: SandboxCommand,
  signal: AbortSignal,
): Promise<ProgramNews> {
  for (;;) {
    try {
      return await followCommand(control, command, signal, true);
    } catch (error) {
      // Beyond its time limit: waits are off its clock. One that was stopped should have ended.
      if (!(error instanceof SupervisorLate) || (await isStopping(control))) throw error;
    }
  }
}

async function isStopping(control: string): Promise<boolean> {
  const reply = await ask(control, { op: 'ping' }, { withinMs: SHORT_ANSWER_MS });
  return !('ok' in reply) || reply.stopping === true;
}

class SupervisorLate extends InfrastructureError {
  override name = 'SupervisorLate';
}

async function followCommand(
  control: string,
  command: SandboxCommand,
  signal: AbortSignal,
  live: boolean,
): Promise<ProgramNews> {
  signal.throwIfAborted();
  let reply: ControlReply;
  try {
    reply = await ask(
      control,
      { op: 'submit', ...command, ...(live && { live }) },
      { signal, withinMs: command.timeLimitSeconds * 1000 + PATIENCE_MS },
    );
  } catch (error) {
    if (!(error instanceof SupervisorAway)) throw error;
    // It may have finished the command before it died.
    const outcome = readOutcome(control, command.n);
    if (outcome === null) throw error;
    return { kind: 'ended', outcome };
  }
  if ('error' in reply) throw new InfrastructureError(`command ${command.n} in ${control}: ${reply.error}`);
  if ('asked' in reply) return { kind: 'asked', number: reply.asked };
  const outcome = readOutcome(control, command.n);
  if (outcome === null)
    throw new InfrastructureError(`command ${command.n} ended, but ${control} has no outcome of it`);
  return { kind: 'ended', outcome };
}

/** Sets what a program's `validate` prints. Throws SupervisorAway. */
export async function answerProgram(control: string, number: number, text: string): Promise<void> {
  const reply = await ask(control, { op: 'answer', number, text }, { withinMs: SHORT_ANSWER_MS });
  if ('error' in reply) throw new InfrastructureError(`answering the program in ${control}: ${reply.error}`);
}

/** Seconds in all that are off the program's clock, by one source. Throws SupervisorAway. */
export async function tellWaited(control: string, n: number, waited: OffClock): Promise<void> {
  const reply = await ask(control, { op: 'waited', n, ...waited }, { withinMs: SHORT_ANSWER_MS });
  if ('error' in reply) throw new InfrastructureError(`the clock of command ${n} in ${control}: ${reply.error}`);
}

export async function interruptCommand(control: string, n: number): Promise<void> {
  const reply = await ask(control, { op: 'interrupt', n }, { withinMs: SHORT_ANSWER_MS });
  if ('error' in reply) throw new InfrastructureError(`interrupting command ${n} in ${control}: ${reply.error}`);
}

export async function printedBy(control: string, n: number): Promise<string> {
  const reply = await ask(control, { op: 'printed', n }, { withinMs: SHORT_ANSWER_MS });
  return 'ok' in reply ? (reply.printed ?? '') : '';
}

export async function supervisorAnswers(control: string): Promise<boolean> {
  try {
    return 'ok' in (await ask(control, { op: 'ping' }, { withinMs: SHORT_ANSWER_MS }));
  } catch (error) {
    if (error instanceof SupervisorAway) return false;
    throw error;
  }
}

export async function ask(
  control: string,
  request: ControlRequest,
  options: { signal?: AbortSignal; withinMs: number },
): Promise<ControlReply> {
  let socket: Socket;
  try {
    socket = await connectToSupervisor(control);
  } catch (error) {
    throw new SupervisorAway(`no supervisor answers in ${control}`, { cause: error });
  }
  try {
    return await answerTo(socket, control, request, options);
  } finally {
    socket.destroy();
  }
}

const answerTo = (
  socket: Socket,
  control: string,
  request: ControlRequest,
  { signal, withinMs }: { signal?: AbortSignal; withinMs: number },
): Promise<ControlReply> =>
  new Promise((resolve, reject) => {
    let text = '';
    const aborted = () => reject(signal?.reason as Error);
    const late = () =>
      reject(new SupervisorLate(`the supervisor of ${control} has not answered for ${withinMs / 1000} s`));
    // Beyond the range of timers: no limit here; heartbeats and activity timeouts still apply.
    const timer = withinMs < 2 ** 31 ? setTimeout(late, withinMs) : undefined;
    const settled = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    };
    if (signal?.aborted === true) aborted();
    signal?.addEventListener('abort', aborted, { once: true });
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (!text.includes('\n') && text.length < 65_536) return;
      settled();
      try {
        resolve(replySchema.parse(JSON.parse(text.slice(0, text.indexOf('\n')))));
      } catch (error) {
        reject(new InfrastructureError(`the supervisor of ${control} sent an invalid answer`, { cause: error }));
      }
    });
    const gone = (error?: Error) => {
      settled();
      reject(new SupervisorAway(`the supervisor of ${control} went away`, { cause: error }));
    };
    socket.on('error', gone);
    socket.on('close', () => gone());
    socket.write(`${JSON.stringify(request)}\n`);
  });
