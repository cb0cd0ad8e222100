import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/** Null: network namespaces work here; else why not. */
export async function noMachines(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'only root makes network namespaces';
  const name = `bench-try-${process.pid}`;
  const { failed, stderr } = await execa('ip', ['link', 'add', name.slice(0, 15), 'type', 'bridge'], { reject: false });
  if (failed) return `no bridge can be made: ${String(stderr)}`;
  await execa('ip', ['link', 'del', name.slice(0, 15)]);
  return null;
}

/** Network namespaces, each with a folder of its own; our services are at `address`. */
export class Machines {
  readonly address: string;
  readonly #bridge: string;
  readonly #dirs = new Map<string, string>();
  private constructor(readonly net: string) {
    this.#bridge = `bb${process.pid}`.slice(0, 15);
    this.address = `${net}.1`;
  }

  static async make(): Promise<Machines> {
    const machines = new Machines(`10.${64 + (process.pid % 64)}.${(process.pid >> 6) % 256}`);
    const bridge = machines.#bridge;
    await execa('ip', ['link', 'add', bridge, 'type', 'bridge']);
    await execa('ip', ['addr', 'add', `${machines.address}/24`, 'dev', bridge]);
    await execa('ip', ['link', 'set', bridge, 'up']);
    return machines;
  }

  #space = (name: string): string => `${this.#bridge}-${name}`;

  /** Returns its folder. */
  async add(name: string): Promise<string> {
    const [space, link] = [this.#space(name), `${this.#bridge}${this.#dirs.size}`.slice(-15)];
    await execa('ip', ['netns', 'add', space]);
    await execa('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space]);
    await execa('ip', ['link', 'set', link, 'master', this.#bridge, 'up']);
    const within = (...args: string[]) => execa('ip', ['-n', space, ...args]);
    await within('addr', 'add', `${this.net}.${this.#dirs.size + 2}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) await within('link', 'set', device, 'up');
    const dir = mkdtempSync(join(tmpdir(), `bench-machine-${name}-`));
    this.#dirs.set(name, dir);
    return dir;
  }

  /** A machine's process and its children; it sees empty folders for others' and for `hidden`. */
  start(name: string, hidden: readonly string[], command: readonly string[], env: Record<string, string>) {
    const others = [...this.#dirs].flatMap(([other, dir]) => (other === name ? [] : [dir]));
    const script = 'for dir in $HIDDEN; do mount -t tmpfs none "$dir" || exit 70; done; exec "$@"';
    return execa('ip', ['netns', 'exec', this.#space(name), 'sh', '-c', script, 'sh', ...command], {
      ...{ reject: false, stdin: 'ignore', extendEnv: false },
      cwd: '/',
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: this.#dirs.get(name) ?? '',
        HIDDEN: [...others, ...hidden].join(' '),
        ...env,
      },
    });
  }

  /** Like a power cut: every process dies, and the cable is cut. */
  async kill(name: string): Promise<void> {
    const space = this.#space(name);
    await execa('ip', ['-n', space, 'link', 'del', 'eth0'], { reject: false });
    for (;;) {
      const { stdout } = await execa('ip', ['netns', 'pids', space], { reject: false });
      const pids = String(stdout)
        .split('\n')
        .filter((pid) => pid !== '');
      if (pids.length === 0) return;
      for (const pid of pids)
        try {
          process.kill(Number(pid), 'SIGKILL');
        } catch {
          // It has ended by itself.
        }
    }
  }

  async remove(): Promise<void> {
    for (const [name, dir] of this.#dirs) {
      await this.kill(name);
      await execa('ip', ['netns', 'del', this.#space(name)], { reject: false });
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    }
    await execa('ip', ['link', 'del', this.#bridge], { reject: false });
  }
}
