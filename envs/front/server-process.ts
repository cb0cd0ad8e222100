import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RunningServer {
  socket: string;
  pid: number;
}

export interface ServerProcessOptions {
  /** Prints a line of JSON when it listens, and ends with its stdin. */
  command(socket: string): [string, ...string[]];
  /** A new path for each server: a killed one leaves its file. */
  newSocket(): string;
  onListening(line: string, server: RunningServer): void;
  /** The first start failed in a way that a retry would not change. */
  onEnd(exitCode: number): void;
  log(line: string): void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** After living this long, it is restarted without a pause. */
const WELL_MS = 10_000;
const STOP_MS = 15_000;

export class ServerProcess {
  #server: RunningServer | null = null;
  #child: ChildProcess | null = null;
  #hasListened = false;
  #stopping = false;
  #pauseMs = 0;
  readonly #waiting = new Set<(server: RunningServer) => void>();

  constructor(private readonly options: ServerProcessOptions) {
    this.#start();
  }

  /** Null: it is starting. */
  get current(): RunningServer | null {
    return this.#server;
  }

  /** Null: none in time, or `signal` was aborted. */
  async listening(ms: number, signal: AbortSignal): Promise<RunningServer | null> {
    if (this.#server !== null || ms <= 0 || signal.aborted) return this.#server;
    let wake: (server: RunningServer) => void = () => undefined;
    const come = new Promise<RunningServer>((resolve) => this.#waiting.add((wake = resolve)));
    const over = new AbortController();
    const late = sleep(ms, null, { signal: AbortSignal.any([signal, over.signal]), ref: false }).catch(() => null);
    try {
      return await Promise.race([come, late]);
    } finally {
      this.#waiting.delete(wake);
      over.abort();
    }
  }

  /** Starts no other. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child === null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await gone;
    clearTimeout(late);
  }

  #start(): void {
    const socket = this.options.newSocket();
    const [program, ...args] = this.options.command(socket);
    const begun = Date.now();
    // Its stdin ends with us; a terminal's Ctrl-C is ours to pass on.
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    this.#child = child;
    child.stdin.on('error', () => undefined);
    createInterface({ input: child.stdout }).once('line', (line) =>
      this.#listens(line, { socket, pid: child.pid ?? 0 }),
    );
    child.once('error', (error) => {
      this.options.log(`the server cannot be started: ${error.message}`);
      this.options.onEnd(1);
    });
    child.once('exit', (code, signal) => {
      rmSync(socket, { force: true });
      this.#server = null;
      this.#child = null;
      if (this.#stopping) return;
      // It has reported why. A server that listened before may recover: clients are waiting.
      if (code !== null && !this.#hasListened) return this.options.onEnd(code);
      this.#pauseMs =
        Date.now() - begun > WELL_MS ? 0 : Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2 || FIRST_PAUSE_MS);
      this.options.log(`the server ended with ${signal ?? `exit code ${code}`}; another one starts`);
      setTimeout(() => !this.#stopping && this.#start(), this.#pauseMs);
    });
  }

  #listens(line: string, server: RunningServer): void {
    if (this.#child?.pid !== server.pid) return;
    this.#server = server;
    this.#hasListened = true;
    this.options.onListening(line, server);
    for (const wake of this.#waiting) wake(server);
  }
}
