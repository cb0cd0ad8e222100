import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { BenchHome } from './bench-home.js';

export interface Answer<Body = Record<string, unknown>> {
  status: number;
  body: Body;
}

export interface ServerLine {
  url: string;
  batchId: string;
  pid: number;
  serverPid: number;
}

/** `bench env serve` of a home, with a client that retries like a trainer's. */
export class EnvServer {
  #command: ChildProcess | null = null;
  #port = 0;
  #front = 0;
  /** With its token; `origin` is the same without. */
  url = '';

  constructor(
    private readonly home: BenchHome,
    private readonly options: readonly string[] = [],
    private readonly env: Readonly<Record<string, string>> = {},
  ) {}

  get origin(): string {
    return new URL(this.url).origin;
  }

  /** Restarts on the same port. Returns its line. */
  async start(): Promise<ServerLine> {
    const port = String(this.#port);
    const args = ['env', 'serve', '--backend', 'local', '--allow-local', '--port', port, ...this.options];
    const command = spawn(process.execPath, ['dist/cli/main.js', ...args], {
      env: { ...process.env, ...this.home.env, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#command = command;
    let told = '';
    command.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
    for await (const line of createInterface({ input: command.stdout })) {
      const said = JSON.parse(line) as ServerLine;
      this.#front = said.pid;
      this.url = said.url;
      this.#port = Number(new URL(said.url).port);
      return said;
    }
    throw new Error(`bench env serve ended: ${told}`);
  }

  /** kill -9 of the process with the port: clients lose their connections. No restart. */
  kill(pid = this.#front): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#command?.once('exit', () => resolve()));
    process.kill(pid, 'SIGKILL');
    return gone;
  }

  /** kill -9 of the server, the front's only child; false: none is running. */
  killServer(): boolean {
    const [pid] = readFileSync(`/proc/${this.#front}/task/${this.#front}/children`, 'utf8').split(' ').filter(Boolean);
    if (pid === undefined) return false;
    process.kill(Number(pid), 'SIGKILL');
    return true;
  }

  async stop(): Promise<void> {
    const command = this.#command;
    if (command === null || command.exitCode !== null || command.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => command.once('exit', () => resolve()));
    command.kill('SIGTERM');
    await gone;
  }

  async ask<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    for (;;) {
      try {
        const response = await fetch(`${this.url}${path}`, {
          method,
          headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        if (response.headers.get('x-backend-state') === 'starting') {
          await new Promise((resolve) => setTimeout(resolve, 200));
          continue;
        }
        return { status: response.status, body: JSON.parse(text) as Body };
      } catch (error) {
        // No listener, or it died before its answer.
        if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }
}
