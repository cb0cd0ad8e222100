import { describe, expect, test } from 'vitest';
import { executable, useSweepPage } from './sweep-page.js';

describe.runIf(executable !== null)('a page that was opened while nothing answered', () => {
  const on = useSweepPage();

  test('shows what there is once something answers: nobody reloads it', async () => {
    let asked = 0;
    await on.page.route('**/api/v1/**', async (route) => {
      asked++;
      await route.abort();
    });
    await on.tab.open('/runs');
    await on.page.getByText('does not answer').first().waitFor();
    expect(asked).toBeGreaterThan(0);
    await on.page.unrouteAll();
    await on.page.getByTitle(on.first).first().waitFor();
  });

  test('shows what changed before its stream could be opened', async () => {
    const [, , { runId }] = on.sweep.runs as [unknown, unknown, { runId: string }];
    let refused = 0;
    await on.page.route('**/api/v1/live*', async (route) => {
      refused++;
      await route.abort();
    });
    await on.tab.open(`/runs?batch=${on.sweep.batch.batchId}`);
    const row = on.page.locator('[data-row]', { has: on.page.getByTitle(runId) });
    await row.waitFor();
    // So long ago that no stream looks back to it.
    await on.db.pool.query(
      `update runs set model_name = 'renamed', updated_at = now() - interval '1 hour', ended_at = now() - interval '1 hour' where run_id = $1`,
      [runId],
    );
    for (const seen = refused; refused === seen;) await on.page.waitForTimeout(50);
    expect(await row.innerText()).not.toContain('renamed');
    await on.page.unrouteAll();
    await row.getByText('renamed').waitFor();
  });
});
