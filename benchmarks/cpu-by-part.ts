import { readdirSync, readFileSync } from 'node:fs';
import { cpuTimeMs, cpuTimesMs } from './cpu-time.js';
import type { ThrowawayHome } from './throwaway-home.js';

const SERVICES = ['worker', 'temporal', 'postgres'] as const;
/** Each poll reads all processes, which must not count for the steps. */
const LOOK_MS = 500;

/** CPU time of a home's services and local sandboxes from now until `stop`, milliseconds. */
export class CpuByPart {
  readonly #roots: Record<(typeof SERVICES)[number], number>;
  readonly #before: Record<string, number>;
  /** By process id: a sandbox ends with its run, so its time is noted while it lives. */
  readonly #sandboxes = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #home: ThrowawayHome;

  constructor(home: ThrowawayHome) {
    this.#home = home;
    const [worker, temporal, postgres] = SERVICES.map((service) => home.pid(service) ?? 0);
    this.#roots = { worker: worker ?? 0, temporal: temporal ?? 0, postgres: postgres ?? 0 };
    this.#before = this.#services();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  stop(): Record<string, number> {
    clearInterval(this.#timer);
    const services = Object.entries(this.#services()).map(([name, ms]) => [name, ms - (this.#before[name] ?? 0)]);
    const sandboxes = [...this.#sandboxes.values()].reduce((sum, ms) => sum + ms, 0);
    return { ...(Object.fromEntries(services) as Record<string, number>), sandboxes };
  }

  #services(): Record<string, number> {
    return Object.fromEntries(SERVICES.map((name) => [name, cpuTimeMs([this.#roots[name]])]));
  }

  #look(): void {
    for (const [pid, ms] of cpuTimesMs(supervisorsBelow(this.#home.dir))) this.#sandboxes.set(pid, ms);
  }
}

/** Supervisors with a control directory in this folder: they are detached, without a parent. */
function supervisorsBelow(dir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return command.some((word) => word.endsWith('sandbox_main.py')) && command.some((word) => word.startsWith(dir));
      } catch {
        // It has just ended.
        return false;
      }
    })
    .map(Number);
}
