import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { ListeningSocket } from './free-port.js';
import { lastLogLines, rotateLog } from './log-file.js';
import { FairTimeout, readThreads } from './fair-timeout.js';
import { identify, isAlive, signal, waitUntilGone, type ProcessIdentity } from './process-identity.js';
import { RestartBackoff } from './restart-backoff.js';
import type { ServiceName, ServiceState } from './services-file.js';

export interface Launch {
  command: readonly [string, ...string[]];
  env: Record<string, string>;
  cwd: string;
  /** Already listening; the process inherits it as descriptor 3. */
  socket?: ListeningSocket;
}

export interface ServiceDefinition {
  name: ServiceName;
  log: string;
  /** Called before every start. Rejects if it cannot start now. */
  launch(signal: AbortSignal): Promise<Launch>;
  /** `busy`: alive, but not serving yet. */
  probe(process: ProcessIdentity | null): Promise<boolean | 'busy'>;
  stopWith: readonly (readonly [NodeJS.Signals, number])[];
}

/** In usable seconds (`FairTimeout`); a slower start hangs. */
const START_LIMIT_MS = 120_000;
const PROBE_EVERY_MS = 5000;
/** A process that is silent for this long, in usable seconds, is restarted. */
const HUNG_AFTER_MS = 60_000;

export class SupervisedService {
  readonly state: ServiceState = {
    process: null,
    status: 'waiting',
    restarts: 0,
    startedAt: null,
    lastExit: null,
  };
  failures = 0;
  private readonly backoff = new RestartBackoff();
  private readonly stopping = new AbortController();
  private restartRequested: string | null = null;
  private loop: Promise<void> | null = null;

  constructor(
    private readonly definition: ServiceDefinition,
    private readonly onChange: () => void,
    private readonly say: (line: string) => void,
    private readonly onFault: (reason: string) => void = () => undefined,
    private readonly timeoutWith = timeoutOf,
  ) {}

  get healthy(): boolean {
    return this.state.status === 'healthy';
  }

  start(): void {
    this.loop ??= this.run();
  }

  /** Default reason: its settings changed. */
  async restart(why = 'new settings'): Promise<void> {
    // Otherwise the next start takes the new settings anyway.
    if (!isAlive(this.state.process) || this.stopping.signal.aborted) return;
    if (this.restartRequested !== null) return;
    this.restartRequested = why;
    await this.end();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.end();
    await this.loop;
    this.change({ status: 'stopped', process: null });
  }

  private async end(): Promise<void> {
    const identity = this.state.process;
    if (identity === null) return;
    await endProcess(identity, this.definition.stopWith, (line) => this.say(`${this.definition.name}: ${line}`));
  }

  private async run(): Promise<void> {
    const { name, log } = this.definition;
    while (!this.stopping.signal.aborted) {
      const outcome = await this.runOnce();
      if (this.stopping.signal.aborted) break;
      if (this.restartRequested !== null) {
        this.say(`${name}: ended for a restart: ${this.restartRequested}`);
        this.restartRequested = null;
        this.change({ process: null, status: 'waiting', restarts: this.state.restarts + 1 });
        continue;
      }
      const delay = this.backoff.nextDelay(outcome.healthyMs);
      this.failures = outcome.healthyMs > 0 ? 1 : this.failures + 1;
      this.say(`${name}: ${outcome.reason}; restarting in ${delay} ms`);
      this.onFault(outcome.reason);
      if (outcome.healthyMs === 0) for (const line of lastLogLines(log, 3)) this.say(`${name}: log: ${line}`);
      this.change({
        process: null,
        status: 'backoff',
        lastExit: outcome.reason,
        restarts: this.state.restarts + 1,
      });
      await sleep(delay, this.stopping.signal);
    }
  }

  private async runOnce(): Promise<{ reason: string; healthyMs: number }> {
    const { name, log } = this.definition;
    let launch: Launch | undefined;
    let output: number;
    try {
      launch = await this.definition.launch(this.stopping.signal);
      rotateLog(log);
      output = openSync(log, 'a', 0o600);
    } catch (error) {
      launch?.socket?.close();
      return { reason: `cannot be started: ${error instanceof Error ? error.message : String(error)}`, healthyMs: 0 };
    }
    if (this.stopping.signal.aborted) {
      launch.socket?.close();
      closeSync(output);
      return { reason: 'stopping', healthyMs: 0 };
    }
    const [command, ...args] = launch.command;
    const { cwd, env, socket } = launch;
    const inherited = socket === undefined ? [] : [socket.descriptor];
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', output, output, ...inherited] });
    closeSync(output);
    // Only the process needs it from here on.
    socket?.close();
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(`cannot be started: ${error.message}`));
      child.once('exit', (code, by) => resolve(by === null ? `ended with exit code ${code}` : `was ended by ${by}`));
    });
    let exit: string | null = null;
    void ended.then((reason) => (exit = reason));
    const identity = child.pid === undefined ? null : identify(child.pid);
    this.change({ process: identity, status: 'starting', startedAt: new Date().toISOString() });
    if (identity !== null) this.say(`${name}: started as process ${identity.pid}`);

    const healthySince = await this.untilHealthy(identity, () => exit);
    if (healthySince !== null) {
      this.failures = 0;
      this.change({ status: 'healthy' });
      this.say(`${name}: healthy`);
      await this.whileAnswering(identity, ended);
    }
    const reason = await ended;
    return { reason, healthyMs: healthySince === null ? 0 : performance.now() - healthySince };
  }

  /** Null: it ended before it was healthy. */
  private async untilHealthy(identity: ProcessIdentity | null, exited: () => string | null): Promise<number | null> {
    const { name } = this.definition;
    const timeout = this.timeoutWith(identity, START_LIMIT_MS);
    while (exited() === null) {
      const late = timeout.isOver();
      const answers = await this.definition.probe(identity).catch(() => false);
      if (exited() !== null) return null;
      if (answers === true) return performance.now();
      if (answers === 'busy') timeout.renew();
      else if (late) {
        this.say(`${name}: no answer within ${START_LIMIT_MS / 1000} s of its time after the start; killing it`);
        signal(identity, 'SIGKILL');
        return null;
      }
      await sleep(25, this.stopping.signal);
      if (this.stopping.signal.aborted) return null;
    }
    return null;
  }

  private async whileAnswering(identity: ProcessIdentity | null, ended: Promise<string>): Promise<void> {
    const { name, log } = this.definition;
    const timeout = this.timeoutWith(identity, HUNG_AFTER_MS);
    for (;;) {
      const over = await Promise.race([ended.then(() => true), sleep(PROBE_EVERY_MS, this.stopping.signal)]);
      if (over === true || this.stopping.signal.aborted) return;
      rotateLog(log);
      if ((await this.definition.probe(identity).catch(() => false)) === true) timeout.renew();
      else if (timeout.isOver()) {
        this.say(`${name}: alive, but did not answer for ${HUNG_AFTER_MS / 1000} s of its time; killing it`);
        signal(identity, 'SIGKILL');
        return;
      }
    }
  }

  private change(change: Partial<ServiceState>): void {
    Object.assign(this.state, change);
    this.onChange();
  }
}

const timeoutOf = (identity: ProcessIdentity | null, limitMs: number): FairTimeout =>
  new FairTimeout(limitMs, () => (identity === null ? null : readThreads(identity.pid)));

export async function endProcess(
  identity: ProcessIdentity,
  stopWith: readonly (readonly [NodeJS.Signals, number])[],
  say: (line: string) => void,
): Promise<void> {
  for (const [name, graceMs] of stopWith) {
    if (!signal(identity, name)) return;
    if (await waitUntilGone(identity, graceMs)) return;
    say(`process ${identity.pid} did not end within ${graceMs / 1000} s of ${name}`);
  }
  if (isAlive(identity)) say(`process ${identity.pid} cannot be killed`);
}

export function sleep(ms: number, abort: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (abort.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      abort.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    abort.addEventListener('abort', done);
  });
}
