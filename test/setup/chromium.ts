import { type Browser, chromium } from 'playwright-core';
import { findProgram } from './programs.js';

/** The system's Chromium; null: there is none, and pages are not opened. */
export const findChromium = (): Promise<string | null> => findProgram('chromium', 'pages in a browser');

/** Drawn by the processor, without what imitates a graphics card. */
export const startChromium = (executablePath: string, more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...more], timeout: 300_000 });
