import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of Linux's accounting are hundredths of a second on every machine. */
const MS_PER_TICK = 10;

/** CPU time of processes and their descendants, including reaped ones, milliseconds. */
export const cpuTimeMs = (roots: readonly number[]): number => {
  const each = cpuTimesMs(roots);
  return roots.reduce((sum, root) => sum + (each.get(root) ?? 0), 0);
};

/** Per root, in one read of all processes. A process counts for its nearest root. */
export function cpuTimesMs(roots: readonly number[]): Map<number, number> {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // After the name in parentheses: state, parent, …, user, system, both of reaped children.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0);
      processes.set(Number(name), { parent: Number(fields[1]), ticks });
    } catch {
      // It has just ended.
    }
  }
  const wanted = new Set(roots);
  const rootOf = (pid: number): number | undefined => {
    if (wanted.has(pid)) return pid;
    const parent = processes.get(pid)?.parent;
    return parent === undefined ? undefined : rootOf(parent);
  };
  const times = new Map<number, number>();
  for (const [pid, { ticks }] of processes) {
    const root = rootOf(pid);
    if (root !== undefined) times.set(root, (times.get(root) ?? 0) + ticks * MS_PER_TICK);
  }
  return times;
}
