import { readFileSync, writeFileSync } from 'node:fs';

/** Peak memory since `forgetPeak`, MiB (VmHWM of Linux); null: no such process or figure. */
export function peakMemoryMb(pid: number | null): number | null {
  if (pid === null) return null;
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024);
  } catch {
    return null;
  }
}

/** Restarts the peak. Where the system forbids it, it counts from the process's start. */
export function forgetPeak(pid: number | null): void {
  try {
    if (pid !== null) writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    return;
  }
}
