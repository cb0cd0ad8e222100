import { readFileSync, writeFileSync } from 'node:fs';

/** The most that a process held in memory since `forgetPeak`, MiB (VmHWM of Linux); null: there is no such process, or no such figure here. */
export function peakMemoryMb(pid: number | null): number | null {
  if (pid === null) return null;
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024);
  } catch {
    return null;
  }
}

/** Count the peak from now on. Where the system does not let us, it counts from the process's start. */
export function forgetPeak(pid: number | null): void {
  try {
    if (pid !== null) writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    return;
  }
}
