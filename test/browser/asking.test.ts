import { describe, expect, test } from 'vitest';
import { until } from '../setup/page-server.js';
import { executable, useSweepPage } from './sweep-page.js';

const HOSTILE = '<img src=x onerror=alert(1)>';

// Pages on which people ask for what no page shows.
describe.runIf(executable !== null)('asking', () => {
  const on = useSweepPage();
  /** Queries that the page has sent. */
  const sent = (): string[] => {
    const queries: string[] = [];
    on.page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/sql')) queries.push((request.postDataJSON() as { query: string }).query);
    });
    return queries;
  };

  test('SQL: a link fills the editor, and runs only when a person says so', async () => {
    const queries = sent();
    const asked = `select run_id, batch_id, model_name, '${HOSTILE}' as hostile from runs order by ordinal`;
    await on.tab.open(`/sql?q=${encodeURIComponent(asked)}`);
    const editor = on.page.locator('.cm-content');
    await editor.waitFor();
    expect(await editor.innerText()).toBe(asked);
    await on.page.getByText('has not run').waitFor();
    expect(queries).toEqual([]);
    await on.page.getByRole('button', { name: /^Run/ }).click();
    await on.page.getByText('12 rows').waitFor();
    expect(queries).toEqual([asked]);
    const row = on.page.locator('[data-row="0"]');
    expect(await row.getByTitle(on.first).getAttribute('href')).toBe(`/runs/${on.first}`);
    expect(await row.getByTitle(on.sweep.batch.batchId).getAttribute('href')).toBe(
      `/batches/${on.sweep.batch.batchId}`,
    );
    await row.getByText(HOSTILE).waitFor();
    expect(await on.page.locator('img').count()).toBe(0);
  });

  test('SQL: with the keyboard alone, completed from the schema, and refused with what to do', async () => {
    await on.tab.open('/sql');
    const editor = on.page.locator('.cm-content');
    await editor.waitFor();
    await on.page.getByText('run_scores').first().waitFor();
    await editor.focus();
    await on.page.keyboard.type('select * from run_sco');
    const option = on.page.locator('.cm-tooltip-autocomplete [role=option]', { hasText: 'run_scores' });
    await option.waitFor();
    // A list that has just come takes no key yet, or a fast typist's would choose from it.
    await on.page.waitForTimeout(200);
    await on.page.keyboard.press('Enter');
    await until(on.page, `document.querySelector('.cm-content').textContent === 'select * from run_scores'`);
    await on.page.keyboard.press('Control+Enter');
    await on.page.getByRole('grid').waitFor();
    expect(on.search().get('q')).toBe('select * from run_scores');
    await editor.focus();
    await on.page.keyboard.press('Control+a');
    await on.page.keyboard.type('delete from runs ');
    await on.page.keyboard.press('Escape');
    await on.page.keyboard.press('Control+Enter');
    await on.page.getByText('Write one SELECT').waitFor();
  });

  test('SQL: an example is a click away, a row opens as a whole, a query that runs can be cancelled', async () => {
    const queries = sent();
    await on.tab.open('/sql');
    await on.page.locator('.cm-content').waitFor();
    await on.page.getByText('Queries to start from').click();
    await on.page.getByRole('button', { name: 'How did the runs of each model end?' }).click();
    await on.page.getByRole('button', { name: /^Run/ }).click();
    await on.page.locator('[data-row="0"]').click();
    await on.page.getByRole('dialog', { name: 'Row 1' }).getByText('alpha').waitFor();
    await on.page.keyboard.press('Escape');
    await on.page.locator('.cm-content').focus();
    await on.page.keyboard.press('Control+a');
    await on.page.keyboard.type('select pg_sleep(600) ');
    await on.page.keyboard.press('Control+Enter');
    await on.page.getByText(/runs for \d+ s/).waitFor();
    await on.page.getByRole('button', { name: 'Cancel' }).click();
    await on.page.getByText('Cancelled, also in the database').waitFor();
    expect(queries).toHaveLength(2);
    for (const end = Date.now() + 60_000; ;) {
      const { rows } = await on.db.pool.query(
        `select from pg_stat_activity where datname = current_database() and query like 'fetch forward%' and state = 'active'`,
      );
      if (rows.length === 0) break;
      expect(Date.now()).toBeLessThan(end);
    }
  });

  test('Search: where did anybody see this? A hit opens its step, with all hits of the run', async () => {
    await on.tab.open('/search');
    await on.page.getByRole('searchbox', { name: 'Text to find' }).fill('whole line of step 1');
    await on.page.keyboard.press('Enter');
    await on.page.getByText(/22 hits in 12 runs/).waitFor();
    expect(on.search().get('q')).toBe('whole line of step 1');
    const run = on.page.getByRole('region', { name: `Run ${on.first}` });
    expect(await run.locator('mark').first().innerText()).toBe('whole line of step 1');
    await run.getByRole('link', { name: 'step 10, observation' }).click();
    await on.page.waitForURL(`**/runs/${on.first}?*`);
    await on.page.locator('[data-step="10"].current').waitFor();
    await on.page.getByText(/11 hits in 11 steps/).waitFor();
    for (const step of ['11', '12']) {
      await on.page.keyboard.press('n');
      await until(on.page, `new URL(location.href).searchParams.get('step') === '${step}'`);
    }
    await on.page.keyboard.press('N');
    await until(on.page, `new URL(location.href).searchParams.get('step') === '11'`);
    await until(on.page, `CSS.highlights.get('find')?.size > 0`);
  });

  test('Run: Ctrl-F finds in steps that are not loaded; what cannot be read is said', async () => {
    await on.tab.open(`/runs/${on.first}`);
    await on.page.locator('[data-step="1"]').waitFor();
    await on.page.keyboard.press('Control+f');
    await on.page.keyboard.type('/step (29|30)$/');
    await on.page.keyboard.press('Enter');
    await on.page.getByText(/in 2 steps/).waitFor();
    await on.page.keyboard.press('n');
    await until(on.page, `new URL(location.href).searchParams.get('step') === '29'`);
    await on.page.keyboard.press('Control+f');
    await on.page.keyboard.press('Control+a');
    await on.page.keyboard.type('/(/');
    await on.page.keyboard.press('Enter');
    await on.page.getByText('the pattern cannot be read').waitFor();
  });

  test('Runs: those one of whose steps contains a text, and where', async () => {
    await on.tab.open('/runs');
    await on.page.getByRole('searchbox', { name: /by the text of their steps/ }).fill('--step 29');
    await on.page.keyboard.press('Enter');
    await on.page.getByText('1 run match').waitFor();
    await on.page.getByRole('link', { name: 'where?' }).click();
    await on.page.getByText(/1 hit in 1 run/).waitFor();
  });
});
