import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { BenchHome } from './bench-home.js';

export interface Answer<Body = Record<string, unknown>> {
  status: number;
  body: Body;
}

/** `bench env serve` of a home, and a client that asks again while nobody answers, as a trainer's does. */
export class EnvServer {
  #door: ChildProcess | null = null;
  #port = 0;
  url = '';

  constructor(
    private readonly home: BenchHome,
    private readonly options: readonly string[] = [],
    private readonly env: Readonly<Record<string, string>> = {},
  ) {}

  /** Starts it, where it listened before if it did. Returns its line. */
  async start(): Promise<{ url: string; batchId: string; pid: number }> {
    const port = String(this.#port);
    const args = ['env', 'serve', '--backend', 'local', '--allow-local', '--port', port, ...this.options];
    const door = spawn(process.execPath, ['dist/cli/main.js', ...args], {
      env: { ...process.env, ...this.home.env, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#door = door;
    let told = '';
    door.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
    for await (const line of createInterface({ input: door.stdout })) {
      const said = JSON.parse(line) as { url: string; batchId: string; pid: number };
      this.url = said.url;
      this.#port = Number(new URL(said.url).port);
      return said;
    }
    throw new Error(`bench env serve ended: ${told}`);
  }

  /** Kills the process that serves, as a machine would. */
  kill(pid: number): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#door?.once('exit', () => resolve()));
    process.kill(pid, 'SIGKILL');
    return gone;
  }

  async stop(): Promise<void> {
    const door = this.#door;
    if (door === null || door.exitCode !== null || door.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => door.once('exit', () => resolve()));
    door.kill('SIGTERM');
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
        return { status: response.status, body: JSON.parse(text) as Body };
      } catch (error) {
        // Nobody listens, or whoever did died before the answer.
        if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }
}
