import { setTimeout as sleep } from 'node:timers/promises';
import { commandLimits, type CommandLimits } from '../domain/agent/command-limits.js';
import { noValidationLeft } from '../domain/agent/evaluation-message.js';
import { showsImages } from '../domain/agent/offered-commands.js';
import type { StoredImage } from '../domain/model/images.js';
import type { Dialect } from '../domain/agent/dialect.js';
import { summarisedThrough, type CallResult, commandNumber, joinedResults } from '../domain/agent/step-text.js';
import { showsLimits } from '../domain/agent/messages.js';
import { guardMultiline } from '../domain/agent/guard-multiline.js';
import { actionsOf } from '../domain/agent/parse-reply.js';
import { HostLeft, InfrastructureError } from '../domain/errors.js';
import type { ExecuteCommandArgs, ExecuteCommandResult, HostActivities } from '../domain/model/messages.js';
import type { ArtifactStore } from '../domain/ports/artifact-store.js';
import type {
  CommandOutcome,
  SandboxCommand,
  SandboxPort,
  SandboxRef,
  StoppedBy,
} from '../domain/ports/sandbox-port.js';
import type { WatchedCommands } from '../domain/ports/watched-commands.js';
import type { Departure } from '../domain/ports/departure.js';
import type { CallLedger } from '../domain/ports/record/call-ledger.js';
import type { EvaluationLog } from '../domain/ports/record/evaluations.js';
import type { EventLog, RunEvent } from '../domain/ports/record/events.js';
import type { RunLifecycle } from '../domain/ports/record/run-lifecycle.js';
import type { SubmissionLog } from '../domain/ports/record/submissions.js';
import type { ShownRow, StepLog } from '../domain/ports/record/steps.js';
import { malformedInMlgymWords, stoppedInMlgymWords } from '../domain/mlgym/words.js';
import type { ObservedCommand, Requested, RunDefinition, StepRecord } from '../domain/run/run.js';
import { storable } from '../domain/text/storable.js';
import { beginsNode, requestOf } from '../domain/tree/node-rules.js';
import type { TaskSpec } from '../domain/task/task.js';
import type { ToolState } from '../domain/agent/tool-state.js';
import type { RunDefinitions } from './run-definitions.js';
import type { Backends } from '../domain/ports/backends.js';
import { recordNetworkRequests } from './network-events.js';
import { cancellation, endsForGood } from './cancellation.js';
import { memoryEvents, memoryNotes } from './out-of-memory.js';
import { removalScript } from './removal-script.js';
import { attemptFence } from './fence.js';
import type { DecidedAction, ExecutedCommand } from './step-in-memory.js';
import { takeImages } from './take-images.js';
import { takeSubmission } from './take-submission.js';

export interface CommandPorts {
  store: EvaluationLog &
    EventLog &
    RunLifecycle &
    StepLog &
    Pick<CallLedger, 'spending'> &
    Pick<SubmissionLog, 'noteStarter'>;
  definitions: RunDefinitions;
  backends: Backends;
  artifacts: ArtifactStore;
  taskFolder: (run: RunDefinition) => Promise<string>;
  watched?: WatchedCommands;
  /** Absent: this host stays. */
  departure?: Pick<Departure, 'underWay'>;
}

export function commandActivities(ports: CommandPorts): Pick<HostActivities, 'executeCommand'> {
  return {
    async executeCommand(given) {
      const args = { ...given, fence: attemptFence(given.fence) };
      const { runId, step, epoch, fence } = args;
      await ports.store.takeOver({ runId, epoch, from: step, fence });
      const { shown: _shown, ...result } = await executeCommand(ports, args, cancellation());
      return result;
    },
  };
}

/** Runs the step's command once; returns a recorded outcome. `decided`: its action, if at hand. */
export async function executeCommand(
  ports: CommandPorts,
  args: ExecuteCommandArgs,
  signal: AbortSignal,
  decided?: DecidedAction,
): Promise<ExecutedCommand> {
  const { runId, step, epoch } = args;
  const record = decided ?? (await ports.store.step(runId, step, { token: args.fence }));
  if (record === null || record.action === null)
    throw new InfrastructureError(`run ${runId}: step ${step} has no recorded action`);
  if ('observation' in record && record.observation !== null) return resultOf(record);

  const run = await ports.definitions.get(runId);
  if (summarisedThrough(run.agent, record.action) !== null) return await recordNothing(ports, run, args, '', 0);
  const actions = actionsOf(run, record.action);
  const calls = await runCalls(ports, run, args, { actions, signal });
  const ran = calls.flatMap(({ outcome }) => (outcome === null ? [] : [outcome]));
  const last = ran.at(-1);
  if (last === undefined)
    return await recordNothing(ports, run, args, joinedResults(calls, actions.length), SYNTAX_ERROR);
  const { requested = null } = calls.at(-1) ?? {};
  // Now: background processes keep writing, and the evaluation may wait or be retried.
  const { sandbox } = ports.backends[run.backend];
  const ref = { runId, epoch };
  const submission = requested === null ? null : (await takeSubmission(ports, run, ref)).taken;
  if (typeof run.task.network !== 'string') await recordNetworkRequests(ports.store, sandbox, ref, { close: false });
  const observed: ObservedCommand = {
    observation: joinedResults(calls, actions.length),
    exitCode: last.exitCode,
    timedOut: ran.some(({ timedOut }) => timedOut),
    lost: ran.some(({ lost }) => lost),
    outputBytes: ran.reduce((sum, { outputBytes }) => sum + outputBytes, 0),
    requested,
    workingDir: last.workingDir,
    toolState: {
      ...(await toolStateAfter(ports.store, run, step, ran)),
      ...(await usedAfter(ports.store, run, step, ran)),
    },
    memories: ran.flatMap(({ memories }) => memories),
    images: calls.flatMap(({ images = [] }) => images),
    commandMs: ran.reduce((sum, { ms }) => sum + ms, 0),
  };
  const isAsGiven = await ports.store.saveCommand(runId, step, observed, {
    epoch,
    events: ran.flatMap((outcome) => [...eventsOf(outcome, step), ...memoryEvents(outcome, run.task.limits, step)]),
    submission,
    fence: { token: args.fence },
  });
  const { exitCode, timedOut, commandMs: ms } = observed;
  const result = { requested, exitCode, timedOut, ms };
  return decided !== undefined && isAsGiven && requested === null
    ? { ...result, shown: shownRow(step, decided, observed) }
    : result;
}

interface Called extends CallResult {
  /** Null: nothing ran. */
  outcome: CommandOutcome | null;
  requested: Requested;
  /** That it let the model look at; absent: none. */
  images?: readonly StoredImage[];
}

/**
 * One after another, each under a number of its own: after any death the sandbox returns the
 * outcomes of those that ran. Together they have the time of one command. A request for an
 * evaluation, or a lost command, is the last.
 */
async function runCalls(
  ports: CommandPorts,
  run: RunDefinition,
  args: ExecuteCommandArgs,
  { actions, signal }: { actions: readonly string[]; signal: AbortSignal },
): Promise<Called[]> {
  const calls: Called[] = [];
  let leftSeconds = args.timeLimitSeconds;
  for (const [at, action] of actions.entries()) {
    if (leftSeconds < MIN_SECONDS) {
      calls.push({ text: NO_TIME_LEFT, exitCode: null, outcome: null, requested: null });
      break;
    }
    const called = await runCall(ports, run, { ...args, timeLimitSeconds: leftSeconds }, { action, at, signal });
    calls.push(called);
    if (called.requested !== null || called.outcome?.lost === true) break;
    leftSeconds -= (called.outcome?.ms ?? 0) / 1000;
  }
  return calls;
}

const MIN_SECONDS = 0.1;
const NO_TIME_LEFT = '[not run: the calls before it have used up the time of a command]';

async function runCall(
  ports: CommandPorts,
  run: RunDefinition,
  { runId, step, epoch, timeLimitSeconds }: ExecuteCommandArgs,
  { action, at, signal }: { action: string; at: number; signal: AbortSignal },
): Promise<Called> {
  const { sandbox } = ports.backends[run.backend];
  const ref = { runId, epoch };
  const guarded = guardMultiline(action, run.agent.tools.commands);
  const { dialect } = run.agent.tools;
  if (guarded.kind === 'malformed')
    return { text: wordsOf(guarded, dialect), exitCode: SYNTAX_ERROR, outcome: null, requested: null };
  const limits = commandLimits(guarded.script, run.task.limits, timeLimitSeconds);
  const before =
    beginsNode(run, step) && at === 0
      ? removalScript(run, await ports.taskFolder(run), await ports.store.workspace(runId))
      : '';
  const command = { n: commandNumber(step, at), script: `${before}${guarded.script}`, ...limits };
  const leave = ports.watched?.follow(sandbox, ref, step, command.n);
  let outcome: CommandOutcome;
  try {
    outcome = await runInterruptibly(ports, run, { sandbox, ref, step, command, signal });
  } catch (error) {
    if (endsForGood(signal)) await interruptQuietly(sandbox, ref, command.n);
    throw error;
  } finally {
    leave?.();
  }
  // The host's shutdown may have ended the command first: it reruns elsewhere.
  if ((outcome.lost || (outcome.exitCode ?? 0) > SIGNALLED) && (await ports.departure?.underWay()) === true)
    throw new HostLeft(`run ${runId}: its command ended with its host`);
  const refused = await beyondLimit(ports, run, step, outcome);
  const notes = refused === null ? [] : [refused];
  const pictured =
    showsImages(run) && !outcome.lost
      ? await takeImages(sandbox, { ref, n: command.n, model: run.model }, outcome, signal)
      : { outcome, images: [] };
  return {
    text: withNotes(observationOf(pictured.outcome, limits, run.task.limits, dialect), notes),
    images: pictured.images,
    exitCode: outcome.exitCode,
    outcome,
    requested: refused === null ? requestOf(run, outcome.requested) : null,
  };
}

const shownRow = (step: number, decided: DecidedAction, observed: ObservedCommand): ShownRow => ({
  ...{ ...decided, step, exitCode: observed.exitCode, timedOut: observed.timedOut },
  observation: storable(observed.observation),
  workingDir: storable(observed.workingDir),
  toolState: observed.toolState ?? null,
  executedMs: observed.commandMs,
});

const LOOK_MS = 1000;
const RAREST_LOOK_MS = 5000;

/** Outside players see its output and may interrupt it; both are rows, to outlive this worker. */
async function runInterruptibly(
  { store }: CommandPorts,
  { runId, model }: RunDefinition,
  {
    sandbox,
    ref,
    step,
    command,
    signal,
  }: { sandbox: SandboxPort; ref: SandboxRef; step: number; command: SandboxCommand; signal: AbortSignal },
): Promise<CommandOutcome> {
  if (model.kind !== 'external') return sandbox.run(ref, command, signal);
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    for (let pause = LOOK_MS; ; pause = Math.min(RAREST_LOOK_MS, pause * 1.1)) {
      await sleep(pause, undefined, { signal: over.signal });
      // Retry while the database is away.
      const printed = await sandbox.printed(ref, command.n).catch(() => '');
      if (!(await store.commandGoesOn(runId, step, printed).catch(() => false))) continue;
      await interruptQuietly(sandbox, ref, command.n);
    }
  };
  watch().catch(() => undefined);
  try {
    return await sandbox.run(ref, command, signal);
  } finally {
    over.abort();
  }
}

function eventsOf({ restarted, gpusLost, lost }: CommandOutcome, step: number): RunEvent[] {
  const events: RunEvent[] = [];
  const tell = (kind: RunEvent['kind'], key: string, what: string) =>
    events.push({ kind, key, detail: `step ${step}: ${what}` });
  if (restarted === true)
    tell('sandbox_restarted', `restart-${step}`, 'the container had stopped and was restarted with its files');
  if (gpusLost === true) tell('gpus_lost', `gpus-${step}`, "the host had taken the container's GPUs; it was restarted");
  if (lost) tell('command_lost', `step-${step}`, "the command's process disappeared without an exit code");
  return events;
}

const wordsOf = ({ message, endName }: { message: string; endName?: string }, dialect: Dialect | undefined): string =>
  dialect === 'mlgym' && endName !== undefined ? malformedInMlgymWords(endName) : message;

/** Greater exit codes name the signal that ended a command. */
const SIGNALLED = 128;

const SYNTAX_ERROR = 2;

/** Runs nothing, and uses up the step. `message`: for the model. */
async function recordNothing(
  { store }: CommandPorts,
  { runId }: RunDefinition,
  { step, epoch, fence }: ExecuteCommandArgs,
  message: string,
  exitCode: number,
): Promise<ExecuteCommandResult> {
  const before = step === 1 ? null : await store.step(runId, step - 1);
  await store.saveCommand(
    runId,
    step,
    {
      observation: message,
      exitCode,
      timedOut: false,
      lost: false,
      outputBytes: 0,
      requested: null,
      workingDir: before?.workingDir ?? (await store.workspace(runId)),
      toolState: before?.toolState ?? null,
      commandMs: 0,
    },
    { epoch, fence: { token: fence } },
  );
  return { requested: null, exitCode, timedOut: false, ms: 0 };
}

/** Of the run's limits, if its prompts show them. */
async function usedAfter(
  store: StepLog & Pick<CallLedger, 'spending'>,
  run: RunDefinition,
  step: number,
  ran: readonly CommandOutcome[],
): Promise<Pick<ToolState, 'used'>> {
  if (!showsLimits(run.agent)) return {};
  const { runId, wallSeconds, costLimitUsd: ofUsd = null } = run;
  const [before, { confirmedUsd: usd }] = await Promise.all([store.usedMs(runId, step), store.spending(runId)]);
  const seconds = Math.round(ran.reduce((sum, { ms }) => sum + ms, before) / 1000);
  return { used: { seconds, ofSeconds: wallSeconds > 0 ? wallSeconds : null, usd, ofUsd } };
}

/** Includes the memory records that the run has written so far. */
async function toolStateAfter(
  store: EventLog & StepLog,
  run: RunDefinition,
  step: number,
  ran: readonly CommandOutcome[],
): Promise<ToolState> {
  const toolState = ran.at(-1)?.toolState ?? { openFile: null };
  if (run.memory !== true) return toolState;
  const before = step === 1 ? null : await store.step(run.runId, step - 1);
  const added = ran.reduce((sum, { memories }) => sum + memories.length, 0);
  return { ...toolState, memoryWritten: (before?.toolState?.memoryWritten ?? 0) + added };
}

const resultOf = (record: StepRecord): ExecuteCommandResult => ({
  requested: record.requested,
  exitCode: record.exitCode,
  timedOut: record.timedOut,
  ms: record.commandMs ?? 0,
});

async function interruptQuietly(sandbox: SandboxPort, ref: { runId: string; epoch: number }, n: number): Promise<void> {
  try {
    await sandbox.interrupt(ref, n);
  } catch {
    // The run is being cancelled, and its container is removed next; or the request is seen again.
  }
}

function observationOf(
  outcome: CommandOutcome,
  limits: CommandLimits,
  task: TaskSpec['limits'],
  dialect: Dialect | undefined,
): string {
  const notes: string[] = [];
  const theirs = dialect === 'mlgym' ? stoppedInMlgymWords(outcome.stoppedBy, limits) : null;
  if (outcome.timedOut) notes.push(theirs ?? stopNote(outcome.stoppedBy, limits, task));
  if (outcome.stoppedBy === 'interrupt') notes.push('[command interrupted]');
  if (outcome.lost) notes.push('[command lost: its process was gone; what it did until then is unknown]');
  if (outcome.notice !== null) notes.push(`[${outcome.notice}]`);
  return withNotes(outcome.output, [...notes, ...memoryNotes(outcome, task)]);
}

function withNotes(text: string, notes: readonly string[]): string {
  if (notes.length === 0) return text;
  return (text === '' || text.endsWith('\n') ? text : `${text}\n`) + notes.join('\n');
}

/** Why a requested validation is not made; null: it is, or none was requested. */
async function beyondLimit(
  { store }: CommandPorts,
  { runId, maxValidations = null }: RunDefinition,
  step: number,
  { requested }: CommandOutcome,
): Promise<string | null> {
  if (requested !== 'validate' || maxValidations === null) return null;
  return (await store.validationsBefore(runId, step)) < maxValidations ? null : noValidationLeft(maxValidations);
}

function stopNote(stoppedBy: StoppedBy | null, limits: CommandLimits, task: TaskSpec['limits']): string {
  if (stoppedBy === 'silence') return `[command stopped: it printed nothing for ${limits.silenceLimitSeconds} s]`;
  if (stoppedBy === 'workspace') return '[command stopped: its files filled the disk space of this task]';
  const short = limits.timeLimitSeconds === task.shortCommandSeconds;
  const which = short ? ', the limit of commands that run no training program' : '';
  return `[command stopped: it ran longer than ${limits.timeLimitSeconds} s${which}]`;
}
