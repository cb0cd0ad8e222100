import { setTimeout as sleep } from 'node:timers/promises';
import { noValidationLeft } from '../domain/agent/evaluation-message.js';
import { buildMessages } from '../domain/agent/messages.js';
import {
  GATEWAY_PORT,
  PROGRAM_COMMAND,
  PROGRAM_FOLDER,
  type Program,
  type ProgramClient,
} from '../domain/agent/program.js';
import { naming } from '../domain/run/end-cause.js';
import { BenchError, InfrastructureError, SandboxLost, Unrecoverable } from '../domain/errors.js';
import type { HostActivities, RunProgramArgs, RunProgramResult } from '../domain/model/messages.js';
import type { EndReason } from '../domain/run/outcomes.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type { Backends } from '../domain/ports/backends.js';
import type { GatewayPort, OpenGateway } from '../domain/ports/gateway-port.js';
import type { EvaluationLog } from '../domain/ports/record/evaluations.js';
import type { EventLog } from '../domain/ports/record/events.js';
import type { ProgramLog } from '../domain/ports/record/program-log.js';
import type { RunLifecycle } from '../domain/ports/record/run-lifecycle.js';
import type { SubmissionLog } from '../domain/ports/record/submissions.js';
import type { StepLog } from '../domain/ports/record/steps.js';
import type { CommandOutcome, ProgramHost, ProgramNews, SandboxRef } from '../domain/ports/sandbox-port.js';
import type { RunDefinition } from '../domain/run/run.js';
import type { RunDefinitions } from './run-definitions.js';
import { cancellation, endsForGood } from './cancellation.js';
import { recordNetworkRequests } from './network-events.js';
import { memoryEvents } from './out-of-memory.js';
import { takeSubmission } from './take-submission.js';
import { quotedWord } from '../domain/text/shell-word.js';

export interface ProgramPorts {
  store: EvaluationLog & EventLog & RunLifecycle & StepLog & ProgramLog & Pick<SubmissionLog, 'noteStarter'>;
  definitions: RunDefinitions;
  backends: Backends;
  artifacts: ArtifactStore;
  taskFolder: (run: RunDefinition) => Promise<string>;
  /** Opened once per run, and closed with its sandbox. */
  gateway: OpenGateway;
}

/** A client that reads of its limit ends within moments, or never. */
const GRACE_MS = 5_000;
/** How often the sandbox hears of its program's waits, and from which difference. */
const CLOCK_MS = 1_000;
const CLOCK_SECONDS = 0.5;
/** The shell's exit codes for a program that cannot start. */
const NOT_STARTED = [126, 127];

export function programActivities(ports: ProgramPorts): Pick<HostActivities, 'runProgram'> {
  return { runProgram: (args) => runProgram(ports, args, cancellation()) };
}

async function runProgram(ports: ProgramPorts, args: RunProgramArgs, signal: AbortSignal): Promise<RunProgramResult> {
  const { runId, epoch, answer } = args;
  const run = await ports.definitions.get(runId);
  const { program } = run.agent;
  const host = ports.backends[run.backend].sandbox.programs;
  if (program === undefined || host === undefined)
    throw new BenchError('usage', `run ${runId}: its agent is not a program, or its backend does not run programs`);
  const ref = { runId, epoch };
  const gateway = await ports.gateway(run, { folder: host.gatewayFolder(ref), epoch });
  if (answer !== undefined) await host.answer(ref, answer.number, await scoreOf(ports, run, answer.step));
  const script = scriptOf(run, program, {
    token: gateway.token,
    workspace: await ports.store.workspace(runId),
  });
  for (;;) {
    const command = { n: PROGRAM_COMMAND, script, timeLimitSeconds: args.timeLimitSeconds };
    const { news, stopped } = await waitFor({ host, ref, gateway }, command, signal);
    if (news.kind === 'ended') {
      await recordLimit(ports.store, run, { ref, gateway, stopped });
      return await ended(ports, run, { ref, gateway, outcome: news.outcome });
    }
    const known = await ports.store.replayValidation(runId, epoch, news.number);
    if (known !== null) {
      await host.answer(ref, news.number, await scoreOf(ports, run, known));
      continue;
    }
    const key = `validate-${epoch}-${news.number}`;
    const step = (await ports.store.claimStep(runId, key, epoch))!;
    const refused = await beyondLimit(ports, run, step);
    const { taken } = refused === null ? await takeSubmission(ports, run, ref) : { taken: null };
    await save(ports, run, { step, epoch, action: 'validate', observation: refused ?? '' }, null, taken);
    if (refused === null) return { kind: 'validate', step, number: news.number };
    await host.answer(ref, news.number, refused);
  }
}

async function waitFor(
  { host, ref, gateway }: { host: ProgramHost; ref: SandboxRef; gateway: GatewayPort },
  command: Parameters<ProgramHost['run']>[1],
  signal: AbortSignal,
): Promise<{ news: ProgramNews; stopped: boolean }> {
  const over = new AbortController();
  const stop = (): Promise<void> => stopProgram(host, ref);
  let stopped = false;
  const watch = async (): Promise<void> => {
    await gateway.mustStop();
    await sleep(GRACE_MS, undefined, { signal: over.signal });
    stopped = true;
    await stop();
  };
  watch().catch(() => undefined);
  keepClock({ host, ref, gateway }, command.n, over.signal).catch(() => undefined);
  try {
    const news = await host.run(ref, command, signal);
    return { news, stopped };
  } catch (error) {
    if (endsForGood(signal)) await stop().catch(() => undefined);
    throw error;
  } finally {
    over.abort();
  }
}

/** Waits for the model are no time of the program's. */
async function keepClock(
  { host, ref, gateway }: { host: ProgramHost; ref: SandboxRef; gateway: GatewayPort },
  n: number,
  signal: AbortSignal,
): Promise<void> {
  let heard = 0;
  for (;;) {
    await sleep(CLOCK_MS, undefined, { signal });
    const { waited } = gateway;
    if (!waited.still && waited.seconds - heard < CLOCK_SECONDS) continue;
    // A sandbox that does not answer now hears all of it later.
    await host.waited(ref, n, waited).then(
      () => (heard = waited.seconds),
      () => undefined,
    );
  }
}

const stopProgram = (host: ProgramHost, ref: SandboxRef): Promise<void> => host.interrupt(ref, PROGRAM_COMMAND);

/** How the program took its limit: people choose `limitAnswer` by it. */
async function recordLimit(
  store: EventLog,
  { runId, batchId }: RunDefinition,
  { ref, gateway, stopped }: { ref: SandboxRef; gateway: GatewayPort; stopped: boolean },
): Promise<void> {
  const { limit, limitAnswers } = gateway;
  if (limit === null || limitAnswers === null) return;
  const { refusals, secondsAgo } = limitAnswers;
  await store.addEvent({
    ...{ runId, batchId, kind: 'program_limit_reached', key: `program-limit-${ref.epoch}` },
    detail: `notified of its limit (${limit}), the program ${stopped ? 'was stopped' : 'ended'} after ${secondsAgo.toFixed(1)} s, refused ${refusals} ${refusals === 1 ? 'call' : 'calls'}`,
  });
}

async function ended(
  ports: ProgramPorts,
  run: RunDefinition,
  { ref, gateway, outcome }: { ref: SandboxRef; gateway: GatewayPort; outcome: CommandOutcome },
): Promise<RunProgramResult> {
  const { runId, epoch } = ref;
  if (outcome.lost) throw new SandboxLost('the sandbox was restarted while its program ran');
  // What is under way is paid; the record ends with it.
  await gateway.settled();
  if (outcome.requested !== 'submit' && gateway.fatal !== null) throw naming('provider', gateway.fatal);
  const step = (await ports.store.claimStep(runId, `end-${epoch}`, epoch))!;
  const submits = outcome.requested === 'submit';
  const { taken } = submits ? await takeSubmission(ports, run, ref) : { taken: null };
  if (typeof run.task.network !== 'string')
    await recordNetworkRequests(ports.store, ports.backends[run.backend].sandbox, ref, { close: false });
  const action = run.agent.program?.command ?? '';
  await save(ports, run, { step, epoch, action, observation: outcome.output }, outcome, taken);
  const { ms } = outcome;
  if (submits) return { kind: 'submit', step, ms };
  const endReason =
    gateway.limit ?? (outcome.timedOut ? 'wall_time' : await ownEnd(ports.store, run, { gateway, outcome, step }));
  return { kind: 'ended', step, ms, endReason };
}

/** Ending by itself submits the work; one that could not start is not the agent's failure. */
async function ownEnd(
  store: ProgramLog,
  run: RunDefinition,
  { gateway, outcome, step }: { gateway: GatewayPort; outcome: CommandOutcome; step: number },
): Promise<EndReason> {
  const lines = outcome.output.trim().split('\n');
  if (NOT_STARTED.includes(outcome.exitCode ?? 0) && step === 1)
    throw naming(
      'program',
      new BenchError('usage', `the program is not in the container: ${lines.at(-1)?.slice(0, 200) ?? ''}`, {
        remedy: "Correct install or command in the agent's file.",
      }),
    );
  if (gateway.lastFault !== null)
    throw naming(
      'provider',
      new Unrecoverable(`the program ended when its model did not answer: ${gateway.lastFault.message}`),
    );
  if (run.agent.program?.needsModel !== false && !(await store.askedModel(run.runId)))
    throw naming('program', withoutCall(run, outcome.exitCode, lines));
  return 'exit';
}

const LAST_LINES = 3;

/** It never called: a wrong option, a missing file, another address. */
function withoutCall({ agentName }: RunDefinition, exitCode: number | null, lines: readonly string[]): BenchError {
  const printed = lines.slice(-LAST_LINES).join('\n').trim().slice(-250);
  const code = exitCode === null ? 'without an exit code' : `with exit code ${exitCode}`;
  return new BenchError(
    'usage',
    `the program of agent ${agentName} ended ${code} without one model call; ${printed === '' ? 'it printed nothing' : `its last lines: ${printed}`}`,
    {
      remedy: `Correct command, install or environment in configs/agents/${agentName}.yaml; \`needsModel: false\` there allows that.`,
    },
  );
}

async function save(
  { store }: ProgramPorts,
  { runId, task }: RunDefinition,
  at: { step: number; epoch: number; action: string; observation: string },
  outcome: CommandOutcome | null,
  submission: Awaited<ReturnType<typeof takeSubmission>>['taken'] | null,
): Promise<void> {
  const { step, epoch, action, observation } = at;
  await store.saveAction(runId, step, { response: '', thought: '', action, modelMs: 0 });
  const requested = outcome === null ? (submission === null ? null : 'validate') : outcome.requested;
  await store.saveCommand(
    runId,
    step,
    {
      observation,
      exitCode: outcome?.exitCode ?? 0,
      timedOut: outcome?.timedOut ?? false,
      lost: false,
      outputBytes: outcome?.outputBytes ?? Buffer.byteLength(observation),
      requested: requested === 'submit' ? 'submit' : submission === null ? null : 'validate',
      workingDir: outcome?.workingDir ?? (await store.workspace(runId)),
      commandMs: outcome?.ms ?? 0,
    },
    { epoch, submission, events: outcome === null ? [] : memoryEvents(outcome, task.limits, step) },
  );
}

async function beyondLimit(
  { store }: ProgramPorts,
  { runId, maxValidations = null }: RunDefinition,
  step: number,
): Promise<string | null> {
  if (maxValidations === null) return null;
  return (await store.validationsBefore(runId, step)) < maxValidations ? null : noValidationLeft(maxValidations);
}

async function scoreOf({ store }: ProgramPorts, { runId }: RunDefinition, step: number): Promise<string> {
  const record = await store.step(runId, step);
  if (record === null) throw new InfrastructureError(`run ${runId}: step ${step} has no validation`);
  return (record.observation ?? '').trim();
}

/** Under the names that the providers' own clients read. */
function addressFor(client: ProgramClient, address: string, token: string): Record<string, string> {
  switch (client) {
    case 'anthropic':
      return { ANTHROPIC_BASE_URL: address, ANTHROPIC_AUTH_TOKEN: token };
    case 'gemini':
      return { GOOGLE_GEMINI_BASE_URL: address, GEMINI_API_KEY: token };
    default:
      return { OPENAI_BASE_URL: `${address}/v1`, OPENAI_API_BASE: `${address}/v1`, OPENAI_API_KEY: token };
  }
}

/** Task, model address and the run's token; no key, and no proxy in between. */
function scriptOf(run: RunDefinition, program: Program, at: { token: string; workspace: string }): string {
  const address = `http://127.0.0.1:${GATEWAY_PORT}`;
  const [, prompt] = buildMessages({ ...run, memoryRecords: null }, [], at.workspace);
  const model = run.model.config?.model ?? run.model.model;
  const variables = {
    ...{ BENCH_PROMPT: prompt?.content ?? '', BENCH_MODEL: model, BENCH_PROGRAM: PROGRAM_FOLDER },
    ...{ BENCH_MAX_STEPS: String(run.maxSteps), BENCH_GATEWAY: address, BENCH_TOKEN: at.token },
    ...addressFor(program.client, address, at.token),
  };
  return [
    'unset HTTP_PROXY HTTPS_PROXY http_proxy https_proxy ALL_PROXY all_proxy',
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${quotedWord(value)}`),
    program.command,
  ].join('\n');
}
