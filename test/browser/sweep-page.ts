import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { BatchSubmission } from '../../domain/ports/record/batch-intake.js';
import { closeTabs, findChromium, sharedChromium } from '../setup/chromium.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { openPage, startPage, type PageServer, type WatchedPage } from '../setup/page-server.js';
import { storeSweep } from './rows.js';

export const executable = await findChromium();

/** What the tests of a file work with, from their `beforeAll` on. */
export interface SweepPage {
  db: Database;
  server: PageServer;
  browser: Browser;
  sweep: BatchSubmission;
  /** The run that has thirty steps. */
  first: string;
  tab: WatchedPage;
  page: Page;
  /** Of the address. */
  search: () => URLSearchParams;
}

/** A tab over an ended batch and more, in its own database. It must end without complaints. */
export function useSweepPage(
  more: (db: Database, sweep: BatchSubmission) => Promise<void> = async () => {},
): SweepPage {
  const on = { search: () => new URL(on.page.url()).searchParams } as SweepPage;
  beforeAll(async () => {
    const url = await sharedDatabases().createDatabase();
    on.db = openDatabase(url);
    on.sweep = await storeSweep(on.db);
    on.first = on.sweep.runs[0]!.runId;
    await more(on.db, on.sweep);
    on.server = await startPage(on.db, url);
    on.browser = await sharedChromium(executable!);
    on.tab = await openPage(on.browser, on.server);
    on.page = on.tab.page;
  });
  afterAll(async () => {
    await closeTabs(on.browser);
    await on.server?.close();
    await on.db?.close();
    expect(on.tab.complaints).toEqual([]);
  });
  return on;
}
