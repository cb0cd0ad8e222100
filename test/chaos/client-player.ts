import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { EnvServer } from '../setup/env-server.js';
import type { Told } from './played-episode.js';

type Kind = 'ors' | 'openenv';
/** Pythons with `openreward` and `openenv`; without them, the tests' own clients play. */
const PYTHONS: Record<Kind, string | undefined> = {
  ors: process.env['BENCH_ORS_PYTHON'],
  openenv: process.env['BENCH_OPENENV_PYTHON'],
};

/** Plays one episode. */
export interface Player {
  act(command: string): Promise<Told>;
  close(): Promise<void>;
}

/** An episode of the task `stated`, played by an unmodified client in a process of its own. */
export class ClientPlayer implements Player {
  readonly #program: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #complaint = '';

  /** Null: no Python has this client. */
  static of(kind: Kind, server: EnvServer, seed: number): ClientPlayer | null {
    const python = PYTHONS[kind];
    return python === undefined ? null : new ClientPlayer(python, kind, server.url, seed);
  }

  private constructor(python: string, kind: Kind, url: string, seed: number) {
    const program = join(import.meta.dirname, 'client_player.py');
    const [address = url, token = ''] = url.split('/t/');
    const openReward = { OPENREWARD_SESSION_URL: address, OPENREWARD_API_URL: address, OPENREWARD_API_KEY: token };
    this.#program = spawn(python, ['-I', program, kind, url, String(seed)], {
      env: { ...process.env, ...openReward },
    });
    this.#program.stderr.on('data', (chunk: Buffer) => (this.#complaint += chunk.toString()));
    this.#program.stdin.on('error', () => undefined);
    this.#lines = createInterface({ input: this.#program.stdout })[Symbol.asyncIterator]();
  }

  async act(command: string): Promise<Told> {
    this.#program.stdin.write(`${JSON.stringify(command)}\n`);
    const line = await this.#lines.next();
    if (line.done === true) throw new Error(`the client failed at ${command}: ${this.#complaint}`);
    const { evaluation, ...told } = JSON.parse(line.value) as Omit<Told, 'score'> & {
      evaluation: { primary: number } | null;
    };
    return { ...told, score: evaluation?.primary ?? null };
  }

  async close(): Promise<void> {
    this.#program.stdin.end();
    const code =
      this.#program.exitCode ?? (await new Promise<number | null>((resolve) => this.#program.once('exit', resolve)));
    if (code !== 0) throw new Error(`the client failed at its end: ${this.#complaint}`);
  }
}
