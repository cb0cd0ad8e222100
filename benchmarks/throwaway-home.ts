import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { unmountBelow } from './unmount-below.js';

const MAIN = resolve(import.meta.dirname, '../cli/main.js');

interface ServicesFile {
  services: Record<string, { process: { pid: number } | null }>;
}

/** A measurement's own home: built command line, embedded services, removed afterwards. */
export class ThrowawayHome {
  readonly dir: string;
  /** Of every command; may be extended before the first. */
  readonly env: Record<string, string>;

  constructor(name: string, env: Record<string, string> = {}) {
    this.dir = mkdtempSync(join(tmpdir(), `bench-${name}-`));
    this.env = { ...env, BENCH_HOME: this.dir };
  }

  /** Returns the output with --json; throws if the command fails. */
  async bench<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.text(...args, '--json')) as T;
  }

  async text(...args: string[]): Promise<string> {
    const { stdout } = await execa(process.execPath, [MAIN, ...args], { env: this.env });
    return stdout;
  }

  /** Waits for a batch whose runs may lack scores; throws if it fails otherwise. */
  async benchOrUnscored(...args: string[]): Promise<void> {
    const done = await execa(process.execPath, [MAIN, ...args], { env: this.env, reject: false });
    if (done.exitCode !== 0 && done.exitCode !== 1) throw new Error(done.stderr);
  }

  /** Process id of this home's service, not of a relay before it; null: not running. */
  pid(service: 'worker' | 'temporal' | 'postgres'): number | null {
    try {
      const { services } = JSON.parse(readFileSync(join(this.dir, 'services.json'), 'utf8')) as ServicesFile;
      const pid = services[service]?.process?.pid ?? null;
      return service === 'temporal' && pid !== null ? (onlyChildOf(pid) ?? pid) : pid;
    } catch {
      return null;
    }
  }

  async remove(): Promise<void> {
    await execa(process.execPath, [MAIN, 'down', '--force'], { env: this.env, reject: false });
    unmountBelow(this.dir);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function onlyChildOf(pid: number): number | null {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.length === 1 ? Number(children[0]) : null;
  } catch {
    return null;
  }
}
