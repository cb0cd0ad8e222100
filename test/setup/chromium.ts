import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The system's Chromium; null, said loudly: there is none on PATH, and pages are not opened. */
export function findChromium(): string | null {
  for (const dir of (process.env['PATH'] ?? '').split(delimiter))
    for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'])
      try {
        accessSync(join(dir, name), constants.X_OK);
        return join(dir, name);
      } catch {
        continue;
      }
  console.warn('pages are NOT TESTED in a browser: there is no chromium on PATH');
  return null;
}

/** Drawn by the processor, without what imitates a graphics card. */
export const startChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'], timeout: 300_000 });
