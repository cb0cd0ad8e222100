import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './programs.js';

/** The system's Chromium; null: none, and tests of pages are skipped. */
export const findChromium = (): Promise<string | null> => findProgram('chromium', 'pages in a browser');

/** Rendered by the CPU, without emulated graphics. */
export const startChromium = (executablePath: string, more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...more], timeout: 300_000 });

let shared: Promise<Browser> | undefined;

/** One for all files of a process, since a start takes seconds of CPU. It ends with the process. */
export const sharedChromium = (executablePath: string): Promise<Browser> => (shared ??= startChromium(executablePath));

/** At the end of a file: the next one begins without its tabs, cookies and caches. */
export const closeTabs = async (browser: Browser | undefined): Promise<void> => {
  for (const context of browser?.contexts() ?? []) await context.close();
};
