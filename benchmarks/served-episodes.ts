import { type ChildProcess, spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { EnvironmentDocument } from '../domain/views/environments.js';
import type { ThrowawayHome } from './throwaway-home.js';

const MAIN = resolve(import.meta.dirname, '../cli/main.js');

/** `bench env serve` of a home, and its REST client with kept connections. */
export class ServedEpisodes {
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(
    private readonly command: ChildProcess,
    private readonly url: string,
  ) {}

  /** `backend` empty: the server chooses. */
  static async start(
    home: ThrowawayHome,
    { capacity, maxSteps, backend }: { capacity: number; maxSteps: number; backend: string },
  ): Promise<ServedEpisodes> {
    const args = ['env', 'serve', '--port', '0', '--capacity', String(capacity), '--max-steps', String(maxSteps)];
    const where = backend === '' ? [] : ['--backend', backend, ...(backend === 'local' ? ['--allow-local'] : [])];
    const command = spawn(process.execPath, [MAIN, ...args, ...where], {
      env: { ...process.env, ...home.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: command.stdout }))
      return new ServedEpisodes(command, (JSON.parse(line) as EnvironmentDocument).url);
    throw new Error('bench env serve ended');
  }

  get pid(): number {
    return this.command.pid ?? 0;
  }

  async health(): Promise<void> {
    await this.#ask('GET', '/health');
  }

  async reset(keys: Readonly<Record<string, unknown>> = {}): Promise<string> {
    return (await this.#ask<{ episode_id: string }>('POST', '/v1/episodes', keys)).episode_id;
  }

  /** Returns when the action is taken, even if its command does not run yet. */
  async begin(id: string, action: string, seq: number): Promise<void> {
    await this.#ask('POST', `/v1/episodes/${id}/step`, { action, action_seq: seq, wait_s: 0 });
  }

  /** Waits like a client: repeats the action's request while the command runs. */
  async step(id: string, action: string, seq: number): Promise<void> {
    for (;;) {
      const answer = await this.#ask<{ status: string }>('POST', `/v1/episodes/${id}/step`, {
        ...{ action, action_seq: seq },
      });
      if (answer.status !== 'running') return;
    }
  }

  async fork(id: string, atStep: number, count: number): Promise<string[]> {
    const body = { at_step: atStep, count };
    const { episodes } = await this.#ask<{ episodes: { episode_id: string }[] }>(
      'POST',
      `/v1/episodes/${id}/fork`,
      body,
    );
    return episodes.map((one) => one.episode_id);
  }

  async end(id: string): Promise<void> {
    await this.#ask('DELETE', `/v1/episodes/${id}`);
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const gone = new Promise((settle) => this.command.once('exit', settle));
    this.command.kill('SIGTERM');
    await gone;
  }

  #ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    return new Promise((settle, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const asked = request(`${this.url}${path}`, { method, headers, agent: this.#agent }, (response) => {
        text(response).then((answer) => {
          if (![200, 201, 202].includes(response.statusCode ?? 0))
            reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
          else settle(JSON.parse(answer) as Body);
        }, reject);
      });
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
