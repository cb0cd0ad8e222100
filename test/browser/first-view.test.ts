import type { Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { until } from '../setup/page-server.js';
import { executable, useSweepPage } from './sweep-page.js';

describe.runIf(executable !== null)('the first view', () => {
  const on = useSweepPage();

  const ofFirst = (...parts: string[]) => parts.map((part) => `/runs/${on.first}${part}`);
  const second = () => on.sweep.runs[1]!.runId;
  test.each([
    { of: 'a run', path: () => `/runs/${on.first}`, expected: () => ofFirst('', '/skeleton', '/steps') },
    { of: 'a step', path: () => `/runs/${on.first}?step=25`, expected: () => ofFirst('', '/skeleton', '/steps') },
    { of: 'the scores of a run', path: () => `/runs/${on.first}?tab=scores`, expected: () => ofFirst('', '/skeleton') },
    {
      of: 'a comparison',
      path: () => `/compare?runs=${on.first}&runs=${second()}`,
      expected: () => [...ofFirst('', '/skeleton'), `/runs/${second()}`, `/runs/${second()}/skeleton`],
    },
    { of: 'the page Now', path: () => '/', expected: () => ['/batches', '/batches', '/runs/active', '/events'] },
  ])('of $of is asked for before the large scripts have come, and taken by the page', async ({ path, expected }) => {
    const asked = expected();
    let asking: string[] = [];
    let early: string[] | undefined;
    const note = (request: Request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/v1')) asking.push(pathname.slice('/api/v1'.length));
    };
    // The page of the test before asks on until it is left.
    await on.page.goto('about:blank');
    on.page.on('request', note);
    // After the small one, so that the order does not depend on the machine's speed.
    await on.page.route('**/assets/main-*', async (route) => {
      while (asking.length < asked.length) await on.page.waitForTimeout(10);
      early = asking;
      asking = [];
      await route.continue();
    });
    await on.tab.open(path());
    await until(on.page, `benchEarly.size === 0`);
    expect(early).toEqual(asked);
    await on.page.unrouteAll();
    on.page.off('request', note);
  });
});
