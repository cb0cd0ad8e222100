import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { BenchSettings } from '../../settings.js';
import { makeFolder } from '../../../services/make-folder.js';

const runningSchema = z.strictObject({ pid: z.int(), address: z.string() });
export type RunningPage = z.infer<typeof runningSchema>;

/** The recorded address of the page; its `/health` shows whether it still runs. */
function runningPage({ layout }: Pick<BenchSettings, 'layout'>): RunningPage | null {
  try {
    return runningSchema.parse(JSON.parse(readFileSync(layout.pageServer, 'utf8')));
  } catch {
    return null;
  }
}

export function pageListens({ layout }: Pick<BenchSettings, 'layout'>, running: RunningPage): void {
  makeFolder(dirname(layout.pageServer), 0o700);
  writeFileSync(layout.pageServer, `${JSON.stringify(running)}\n`, { mode: 0o600 });
}

/** Removes only what this process wrote. */
export function pageEnded(settings: Pick<BenchSettings, 'layout'>): void {
  if (runningPage(settings)?.pid === process.pid) rmSync(settings.layout.pageServer, { force: true });
}

/** The page's address, if it answers in time; never throws. */
export async function answeringPage(
  settings: Pick<BenchSettings, 'layout'>,
  timeoutMs = 3_000,
): Promise<RunningPage | null> {
  const running = runningPage(settings);
  if (running === null) return null;
  try {
    const answer = await fetch(`${running.address}/api/v1/health`, { signal: AbortSignal.timeout(timeoutMs) });
    return answer.ok ? running : null;
  } catch {
    return null;
  }
}
