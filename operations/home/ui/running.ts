import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { BenchSettings } from '../../settings.js';
import { makeFolder } from '../../../services/make-folder.js';

const runningSchema = z.strictObject({ pid: z.int(), address: z.string() });
export type RunningUi = z.infer<typeof runningSchema>;

/** Where the page of this home is served, as far as it was written down; whether it is still there, its `/health` says. */
export function runningUi({ layout }: Pick<BenchSettings, 'layout'>): RunningUi | null {
  try {
    return runningSchema.parse(JSON.parse(readFileSync(layout.uiServer, 'utf8')));
  } catch {
    return null;
  }
}

export function uiListens({ layout }: Pick<BenchSettings, 'layout'>, running: RunningUi): void {
  makeFolder(dirname(layout.uiServer), 0o700);
  writeFileSync(layout.uiServer, `${JSON.stringify(running)}\n`, { mode: 0o600 });
}

/** Only what this process wrote. */
export function uiEnded(settings: Pick<BenchSettings, 'layout'>): void {
  if (runningUi(settings)?.pid === process.pid) rmSync(settings.layout.uiServer, { force: true });
}

/** The page's address, if it answers; never throws, and waits no longer than this. */
export async function answeringUi(
  settings: Pick<BenchSettings, 'layout'>,
  timeoutMs = 3_000,
): Promise<RunningUi | null> {
  const running = runningUi(settings);
  if (running === null) return null;
  try {
    const answer = await fetch(`${running.address}/api/v1/health`, { signal: AbortSignal.timeout(timeoutMs) });
    return answer.ok ? running : null;
  } catch {
    return null;
  }
}
