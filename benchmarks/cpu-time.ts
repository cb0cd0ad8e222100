import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of Linux's accounting are hundredths of a second, whatever the machine. */
const MS_PER_TICK = 10;

/** CPU time of these processes and all their descendants so far, those that have ended and were waited for included, milliseconds. */
export function cpuTimeMs(roots: readonly number[]): number {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The command's name in parentheses may hold anything; after it: state, parent, …, then user, system, and both of dead children.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0);
      processes.set(Number(name), { parent: Number(fields[1]), ticks });
    } catch {
      // It has just ended.
    }
  }
  const belongs = (pid: number): boolean =>
    roots.includes(pid) || (processes.has(pid) && belongs(processes.get(pid)?.parent ?? 0));
  return [...processes].reduce((sum, [pid, { ticks }]) => (belongs(pid) ? sum + ticks * MS_PER_TICK : sum), 0);
}
