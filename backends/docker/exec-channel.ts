import { PassThrough } from 'node:stream';
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { z } from 'zod';
import { InfrastructureError, SupervisorAway } from '../../domain/errors.js';
import type { CommandOutcome, ExecResult, SandboxExec } from '../../domain/ports/sandbox-port.js';
import type { ControlChannel } from '../shell/control-channel.js';
import { stdinName } from '../shell/exec-client.js';
import { execFolder, execRequest, execResult, faultOf, INCOMING } from '../shell/exec-request.js';
import { type ControlRequest, OUTCOME_FILE_LIMIT, parseOutcome, replySchema } from '../shell/protocol.js';
import { PATIENCE_MS, SHORT_ANSWER_MS } from '../shell/shell-client.js';
import { statusOf } from './engine-errors.js';
import { execOutput } from './exec-output.js';
import { CONTROL_INSIDE } from './sandbox-container.js';
import { tarBytes } from './tar-bytes.js';

/** Requests go to stdin, since an exec's arguments appear in the engine's events. */
const CLIENT = ['/opt/bench/python3', '-IS', '/opt/bench/durable_shell/control_client.py'];
/** An outcome as one line of JSON with each character escaped. */
const ANSWER_LIMIT = 2 * OUTCOME_FILE_LIMIT + 65_536;
/** The client writes a line every few seconds while it waits: a longer silence means it is gone. */
const SILENT_MS = 30_000;
const NEWLINE = 10;
const NOT_RUNNING = /is not running|container .*stopped|stopped container|no running task/i;

const answerSchema = z.object({
  reply: replySchema.nullable(),
  outcome: z.string().max(OUTCOME_FILE_LIMIT).nullable(),
});
type Answer = z.infer<typeof answerSchema>;

/** For a worker and container that share no directory: one exec per request, as root. */
export function execChannel(container: Docker.Container, what: string): ControlChannel {
  const ask = async (request: ControlRequest, limits: { signal?: AbortSignal; withinMs: number }): Promise<Answer> =>
    await answerTo(container, await connect(container, what), request, { ...limits, what });
  return {
    async run(command, signal): Promise<CommandOutcome> {
      signal.throwIfAborted();
      const withinMs = command.timeLimitSeconds * 1000 + PATIENCE_MS;
      const { reply, outcome } = await ask({ op: 'submit', ...command }, { signal, withinMs });
      if (reply !== null && 'error' in reply)
        throw new InfrastructureError(`command ${command.n} in ${what}: ${reply.error}`);
      if (outcome !== null) return parseOutcome(outcome);
      if (reply === null) throw new SupervisorAway(`no supervisor answers in ${what}`);
      throw new InfrastructureError(`command ${command.n} ended, but ${what} has no outcome of it`);
    },
    async interrupt(n) {
      const { reply } = await ask({ op: 'interrupt', n }, { withinMs: SHORT_ANSWER_MS });
      if (reply === null) throw new SupervisorAway(`no supervisor answers in ${what}`);
      if ('error' in reply) throw new InfrastructureError(`interrupting command ${n} in ${what}: ${reply.error}`);
    },
    async printed(n) {
      const { reply } = await ask({ op: 'printed', n }, { withinMs: SHORT_ANSWER_MS });
      if (reply === null) throw new SupervisorAway(`no supervisor answers in ${what}`);
      return 'ok' in reply ? (reply.printed ?? '') : '';
    },
    async exec(exec, signal) {
      const fault = faultOf(exec);
      if (fault !== null) return { kind: 'refused', reason: 'invalid', why: fault };
      signal.throwIfAborted();
      const request = execRequest(exec, await stageStdin(container, exec));
      const { reply, outcome } = await ask(request, { signal, withinMs: exec.timeLimitSeconds * 1000 + PATIENCE_MS });
      if (reply !== null && 'error' in reply)
        throw new InfrastructureError(`exec ${exec.key} in ${what}: ${reply.error}`);
      if (reply !== null && 'refused' in reply) return { kind: 'refused', reason: reply.refused, why: reply.why };
      if (outcome !== null) return await resultOf(container, exec, outcome, signal);
      if (reply === null) throw new SupervisorAway(`no supervisor answers in ${what}`);
      throw new InfrastructureError(`exec ${exec.key} ended, but ${what} has no outcome of it`);
    },
    async stopExec(key) {
      const { reply } = await ask({ op: 'stopExec', key }, { withinMs: SHORT_ANSWER_MS });
      if (reply === null) throw new SupervisorAway(`no supervisor answers in ${what}`);
      if ('error' in reply) throw new InfrastructureError(`stopping exec ${key} in ${what}: ${reply.error}`);
    },
    async answers() {
      try {
        return (await ask({ op: 'ping' }, { withinMs: SHORT_ANSWER_MS })).reply !== null;
      } catch {
        // Engines report an ending container in many ways; inspect it to find out.
        return false;
      }
    },
  };
}

/** Name of the file; null: it reads nothing. The supervisor removes it. */
async function stageStdin(container: Docker.Container, { key, stdin }: SandboxExec): Promise<string | null> {
  if (stdin === undefined) return null;
  const name = stdinName(key);
  const archive = await tarBytes([{ name: `${INCOMING}/${name}`, mode: 0o444, bytes: Buffer.from(stdin) }]);
  await container.putArchive(archive, { path: CONTROL_INSIDE });
  return name;
}

const resultOf = (
  container: Docker.Container,
  { key }: SandboxExec,
  outcome: string,
  signal: AbortSignal,
): Promise<ExecResult> =>
  execResult(outcome, async (stream) => {
    const chunks: Buffer[] = [];
    const path = `${CONTROL_INSIDE}/${execFolder(key)}/${stream}`;
    for await (const chunk of execOutput(container, ['/bin/cat', path], signal)) chunks.push(chunk);
    return Buffer.concat(chunks);
  });

async function connect(container: Docker.Container, what: string): Promise<Duplex> {
  try {
    const attach = { AttachStdin: true, AttachStdout: true, AttachStderr: true };
    const exec = await container.exec({ Cmd: CLIENT, User: '0:0', WorkingDir: '/', ...attach });
    return await exec.start({ hijack: true, stdin: true });
  } catch (error) {
    // The container was not running, or stopped between the two calls.
    if (statusOf(error) === 409 || NOT_RUNNING.test((error as Error).message))
      throw new SupervisorAway(`${what} is not running`, { cause: error });
    throw error;
  }
}

const answerTo = (
  container: Docker.Container,
  stream: Duplex,
  request: ControlRequest,
  { signal, withinMs, what }: { signal?: AbortSignal; withinMs: number; what: string },
): Promise<Answer> =>
  new Promise<Answer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let begun = false;
    let timer: NodeJS.Timeout | undefined;
    const silent = new SupervisorAway(`the connection into ${what} has been silent for ${SILENT_MS / 1000} s`);
    const silence = setTimeout(() => settle(() => reject(silent)), SILENT_MS);
    const settle = (how: () => void) => {
      clearTimeout(timer);
      clearTimeout(silence);
      signal?.removeEventListener('abort', aborted);
      how();
      // Closes the client's stdin, which ends it.
      stream.destroy();
    };
    const aborted = () => settle(() => reject(signal?.reason as Error));
    const late = () =>
      settle(() =>
        reject(new InfrastructureError(`the supervisor of ${what} has not answered for ${withinMs / 1000} s`)),
      );
    // Beyond the range of timers: no limit here; heartbeats and activity timeouts still apply.
    if (withinMs < 2 ** 31) timer = setTimeout(late, withinMs);
    if (signal?.aborted === true) return aborted();
    signal?.addEventListener('abort', aborted, { once: true });

    const said = new PassThrough();
    const complaints = new PassThrough().resume();
    (container.modem as Docker['modem']).demuxStream(stream, said, complaints);
    said.on('data', (data: Buffer) => {
      silence.refresh();
      const start = begun ? 0 : data.findIndex((byte) => byte !== NEWLINE);
      if (start === -1) return;
      begun = true;
      const chunk = data.subarray(start);
      chunks.push(chunk);
      size += chunk.length;
      if (!chunk.includes(NEWLINE) && size < ANSWER_LIMIT) return;
      const text = Buffer.concat(chunks).toString('utf8');
      settle(() => {
        try {
          resolve(answerSchema.parse(JSON.parse(text.slice(0, text.indexOf('\n')))));
        } catch (error) {
          // The engine's text, not the client's: the container ended, or is out of processes.
          reject(new SupervisorAway(`no client ran in ${what}: ${text.slice(0, 300).trim()}`, { cause: error }));
        }
      });
    });
    const gone = (error?: Error) =>
      settle(() => reject(new SupervisorAway(`the connection into ${what} ended without an answer`, { cause: error })));
    stream.once('error', gone);
    stream.once('close', () => gone());
    stream.once('end', () => gone());
    stream.write(`${JSON.stringify(request)}\n`);
  });
