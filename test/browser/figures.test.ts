import { describe, expect, test } from 'vitest';
import { score } from '../../report/numbers.js';
import { until } from '../setup/ui-page.js';
import { makeEpisodes, storeEpisodes } from '../sql/training-episodes.js';
import { executable, useSweepPage } from './sweep-page.js';

// Episodes, integrity, and what was played.
describe.runIf(executable !== null)('figures', () => {
  let training: string;
  const on = useSweepPage(async (db, sweep) => {
    training = await storeEpisodes(db, 'training', makeEpisodes(1, 40));
    await db.pool.query(
      `insert into integrity_marks (run_id, rule, step, detail, version) values ($1, 'protected_write', 3, 'wrote evaluate.py', 1)`,
      [sweep.runs[0]!.runId],
    );
  });

  test('Episodes: does the policy learn? Curves, groups without spread, and the episodes of a group', async () => {
    const policies = await on.db.queries.policyMetrics(training);
    await on.tab.open('/episodes');
    const rows = on.page.getByRole('region', { name: 'Policy versions' }).locator('tbody tr');
    expect(await rows.count()).toBe(policies.length);
    for (const [i, { policy_version: version, reward, episodes }] of policies.entries()) {
      const cells = await rows.nth(i).locator('td').allInnerTexts();
      expect(cells.slice(0, 2)).toEqual([String(version ?? 'none'), String(episodes)]);
      expect(cells[3]).toBe(reward === null ? '–' : score(reward));
    }
    await on.page.locator('.chart svg path').first().waitFor({ state: 'attached' });
    await on.page.getByRole('tab', { name: 'Groups' }).click();
    const groups = await on.db.queries.groupMetrics(training);
    const listed = on.page.getByRole('region', { name: 'Groups' }).locator('tbody tr');
    await listed.first().waitFor();
    expect(await listed.count()).toBe(groups.length);
    expect(await listed.getByText('no spread').count()).toBe(groups.filter((one) => one.zero_spread === true).length);
    const named = groups.find(({ group }) => group !== null)!;
    await listed.getByRole('button', { name: named.group!, exact: true }).first().click();
    await on.page.getByRole('grid').locator('[data-row="0"]').waitFor();
    expect(new URL(on.page.url()).searchParams.get('group')).toBe(named.group);
    await on.page.locator('[data-row="0"]').click();
    await on.page.waitForURL('**/runs/r-*');
  });

  test('Integrity: which numbers must I not believe? A mark opens at the step that fired it', async () => {
    await on.tab.open('/integrity');
    await on.page.getByText('wrote evaluate.py').waitFor();
    await on.page.getByText('python train.py --step 3').waitFor();
    await on.page.getByRole('region', { name: 'By rule' }).getByLabel('protected write').check();
    await until(on.page, `new URL(location.href).searchParams.get('rule') === 'protected_write'`);
    await on.page.getByRole('link', { name: 'step 3' }).click();
    await on.page.locator('[data-step="3"].current').waitFor();
  });

  test('Tasks, models, agents: who has done it how well?', async () => {
    await on.tab.open('/tasks');
    await on.page.getByRole('link', { name: 'one', exact: true }).click();
    await on.page.getByRole('heading', { name: 'one', level: 1 }).waitFor();
    const board = await on.db.queries.leaderboard({ resamples: 0 });
    const table = on.page.getByRole('region', { name: 'What came of its runs' });
    await table.waitFor();
    for (const { model, scores } of board.rows) {
      const row = table.locator('tbody tr', { has: on.page.getByRole('link', { name: model, exact: true }) });
      await row.getByTitle(scores['one']!.bestRun!).getByText(score(scores['one']!.best)).waitFor();
    }
    await table.getByRole('link', { name: 'beta', exact: true }).click();
    await on.page.getByRole('heading', { name: 'beta', level: 1 }).waitFor();
    await on.page.getByRole('navigation', { name: 'What was played' }).getByRole('link', { name: 'Agents' }).click();
    await on.page.getByRole('link', { name: 'default', exact: true }).click();
    await page
      .getByText(/contract|first/)
      .first()
      .waitFor();
  });
});
