import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './programs.js';

/** The system's Chromium; null: none, and tests of pages are skipped. */
export const findChromium = (): Promise<string | null> => findProgram('chromium', 'pages in a browser');

/** Rendered by the CPU, without emulated graphics. */
export const startChromium = (executablePath: string, more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...more], timeout: 300_000 });
