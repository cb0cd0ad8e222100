import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

export async function launchChromium(): Promise<Browser> {
  for (const dir of (process.env['PATH'] ?? '').split(delimiter))
    for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'])
      try {
        accessSync(join(dir, name), constants.X_OK);
        return await chromium.launch({
          executablePath: join(dir, name),
          args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc'],
        });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      }
  throw new Error('there is no chromium on PATH');
}

/** Runs before the page's code: what the browser itself measures. */
const WATCH = `
  window.__longest = 0; window.__lcp = 0;
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.__longest = Math.max(window.__longest, duration); })
    .observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => { for (const { startTime } of list.getEntries()) window.__lcp = startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  window.__when = (test, begin, from = performance.now()) => new Promise((resolve, reject) => {
    begin?.();
    const look = () => {
      if (test()) resolve(performance.now() - from);
      else if (performance.now() - from > 60000) reject(new Error('never ' + test));
      else requestAnimationFrame(look);
    };
    look();
  });
  window.__go = (path) => { history.pushState({}, '', path); dispatchEvent(new PopStateEvent('popstate', { state: {} })); };
`;

export async function openTab(browser: Browser, token: string): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript(`localStorage.setItem('bench-token', ${JSON.stringify(token)}); ${WATCH}`);
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  return { context, page };
}

/** Milliseconds until a condition of the page holds, from `begin`, else from the load. */
export const until = (page: Page, test: string, begin?: string): Promise<number> =>
  page.evaluate<number>(
    begin === undefined ? `__when(() => ${test}, undefined, 0)` : `__when(() => ${test}, () => { ${begin} })`,
  );

export async function heapMb(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await devtools.send('Runtime.getHeapUsage')) as { usedSize: number };
  await devtools.detach();
  return Math.round(usedSize / 1024 / 1024);
}
