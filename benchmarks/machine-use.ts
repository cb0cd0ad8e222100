import { readFileSync } from 'node:fs';

const LOOK_MS = 200;

const fields = (line: string): number[] => line.trim().split(/\s+/).slice(1).map(Number);

/** Of Linux's ticks, hundredths of a second: all but idle, waiting and stolen ones. */
function busyMs(): number {
  const [user, nice, system, , , irq, softIrq] = fields(readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '');
  return [user, nice, system, irq, softIrq].reduce<number>((sum, ticks) => sum + (ticks ?? 0) * 10, 0);
}

const availableMb = (): number =>
  Number(/^MemAvailable:\s+(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? NaN) / 1024;

/**
 * What the whole machine uses from now until `stop`: the same measure for every program, with its
 * daemons and containers. Nothing else may run.
 */
export class MachineUse {
  readonly #busy = busyMs();
  readonly #available = availableMb();
  #least = this.#available;
  readonly #timer = setInterval(() => (this.#least = Math.min(this.#least, availableMb())), LOOK_MS);

  /** CPU milliseconds, and the largest growth of memory in use. */
  stop(): { cpuMs: number; memoryMb: number } {
    clearInterval(this.#timer);
    return { cpuMs: busyMs() - this.#busy, memoryMb: Math.max(0, this.#available - this.#least) };
  }
}
