import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { probeEngine } from '../../backends/docker/engine.js';
import { engineAddress, type EngineAddress } from '../../backends/docker/engine-address.js';
import { OrdinaryUser } from './ordinary-user.js';

const START_LIMIT_MS = 60_000;
const socketIn = (dir: string): string => `unix://${dir}/run/podman.sock`;

/** An ordinary user with a podman service, and `bench` run by that user. */
export class RootlessPodman {
  #service: ChildProcess | undefined;
  private constructor(readonly user: OrdinaryUser) {}

  static async start(env: Record<string, string> = {}): Promise<RootlessPodman> {
    const user = await OrdinaryUser.create((dir) => ({
      ...{ XDG_RUNTIME_DIR: join(dir, 'run'), BENCH_HOME: join(dir, 'home'), BENCH_PODMAN_HOST: socketIn(dir) },
      ...env,
    }));
    mkdirSync(join(user.dir, 'run'), { mode: 0o700 });
    await execa('chown', [`${user.name}:`, join(user.dir, 'run')]);
    const started = new RootlessPodman(user);
    started.#service = spawn(...user.as('podman', 'system', 'service', '--time=0', started.address.url));
    const deadline = Date.now() + START_LIMIT_MS;
    while ((await probeEngine(started.address)).kind !== 'ok') {
      if (Date.now() > deadline) throw new Error("podman's service does not answer an ordinary user");
      await new Promise((settle) => setTimeout(settle, 100));
    }
    return started;
  }

  get address(): EngineAddress {
    return engineAddress('podman', { BENCH_PODMAN_HOST: socketIn(this.user.dir) });
  }

  /** A bench command with --json, as that user. Throws its output if it fails. */
  async bench<T>(...args: string[]): Promise<T> {
    return await this.user.bench<T>(args);
  }

  async stop(): Promise<void> {
    await this.bench('down').catch(() => undefined);
    const [program, words, options] = this.user.as('podman', 'system', 'reset', '--force');
    await execa(program, words, { ...options, reject: false });
    const gone = new Promise((settle) => this.#service?.once('exit', settle));
    this.#service?.kill('SIGTERM');
    await gone;
    // With podman's processes that keep the user's namespace.
    await this.user.remove();
  }
}
