import type { Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { until } from '../setup/ui-page.js';
import { executable, useSweepPage } from './sweep-page.js';

describe.runIf(executable !== null)('the first view', () => {
  const on = useSweepPage();

  test.each([
    { of: 'a run', path: () => `/runs/${on.first}`, asked: ['', '/skeleton', '/steps'] },
    { of: 'a step', path: () => `/runs/${on.first}?step=25`, asked: ['', '/skeleton', '/steps'] },
    { of: 'the scores of a run', path: () => `/runs/${on.first}?tab=scores`, asked: ['', '/skeleton'] },
    { of: 'the page Now', path: () => '/', asked: ['/batches', '/batches', '/runs/facets', '/events'] },
  ])('of $of is asked for before the large scripts have come, and taken by the page', async ({ path, asked }) => {
    let asking: string[] = [];
    let early: string[] | undefined;
    const note = (request: Request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/v1')) asking.push(pathname.slice('/api/v1'.length));
    };
    // The page of the test before asks on until it is left.
    await on.page.goto('about:blank');
    on.page.on('request', note);
    // They come once the small one has asked, so that the order does not hang on how fast this machine is.
    await on.page.route('**/assets/main-*', async (route) => {
      while (asking.length < asked.length) await on.page.waitForTimeout(10);
      early = asking;
      asking = [];
      await route.continue();
    });
    await on.tab.open(path());
    await until(on.page, `benchEarly.size === 0`);
    expect(early).toEqual(asked.map((address) => (path() === '/' ? address : `/runs/${on.first}${address}`)));
    await on.page.unrouteAll();
    on.page.off('request', note);
  });
});
