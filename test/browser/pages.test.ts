import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFileArtifactStore } from '../../backends/artifacts/file-artifact-store.js';
import { storeSubmission } from '../../domain/run/stored-submission.js';
import { formatScore, formatUsd } from '../../domain/text/format.js';
import { LONG } from '../setup/long.js';
import { openPage, until } from '../setup/page-server.js';
import { violationsOf } from './axe.js';
import { MODELS, STEPS, TASKS } from './rows.js';
import { executable, useSweepPage } from './sweep-page.js';

// Tests are named after what people come to a page for.
describe.runIf(executable !== null)('the page', () => {
  const on = useSweepPage();
  const facts = async (): Promise<Record<string, string>> => {
    const told: Record<string, string> = {};
    for (const fact of await on.page.locator('.headline .fact').all())
      told[await fact.locator('dt').innerText()] = (await fact.locator('dd').innerText()).replace(/\s+/g, ' ');
    return told;
  };

  describe('Runs', () => {
    test('which runs are like this? A facet, a range and a text are in the address, and it reloads to itself', async () => {
      await on.tab.open('/runs');
      await on.page.getByText('12 runs').waitFor();
      await on.page.locator('.facet', { hasText: 'Model' }).getByLabel('beta').check();
      await on.page.getByText('4 runs match').waitFor();
      await on.page.locator('.facet', { hasText: 'Task' }).getByLabel('two').check();
      await on.page.getByText('2 runs match').waitFor();
      expect(on.search().getAll('model')).toEqual(['beta']);
      expect(on.search().getAll('task')).toEqual(['two']);
      await on.page.reload();
      await on.page.getByText('2 runs match').waitFor();
      await expect.poll(() => on.page.getByRole('grid').locator('[data-row]').count()).toBe(2);
      await on.page.getByRole('button', { name: 'clear all' }).click();
      await on.page.getByText('12 runs').waitFor();
    });

    test('which are the best? A column orders them, the largest first', async () => {
      await on.tab.open('/runs');
      await on.page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').click();
      await until(on.page, `document.querySelector('[aria-sort=descending]')?.textContent.startsWith('Cost')`);
      expect(on.search().get('sort')).toBe('-cost');
      const { runs } = (await on.server.json('/runs?sort=-cost')) as { runs: { runId: string; costUsd: string }[] };
      const firstRow = on.page.locator('[data-row="0"]');
      await firstRow.getByTitle(runs[0]!.runId).waitFor();
      expect(await firstRow.innerText()).toContain(formatUsd(Number(runs[0]!.costUsd)));
    });

    test('a row is told to readers of screens by its place among all', async () => {
      await on.tab.open('/runs');
      const grid = on.page.getByRole('grid');
      await until(on.page, `document.querySelector('[role=grid]')?.getAttribute('aria-rowcount') === '13'`);
      expect(await grid.locator('[data-row="3"]').getAttribute('aria-rowindex')).toBe('5');
    });
  });

  describe('Run', () => {
    test('what did the agent do, and what did it see?', async () => {
      await on.tab.open(`/runs/${on.first}`);
      const one = on.page.locator('[data-step="1"]');
      await one.getByText('thought of step 1', { exact: true }).waitFor();
      await one.getByText('python train.py --step 1', { exact: true }).waitFor();
      // What a carriage return went over is folded.
      await one.getByText('the whole line of step 1', { exact: true }).waitFor();
      expect(await one.getByText('output of step 1').count()).toBe(0);
    });

    test('why this score? Steps with a score and with an error are a key away, and the address says where one is', async () => {
      await on.tab.open(`/runs/${on.first}`);
      await on.page.locator('[data-step="1"]').waitFor();
      await on.page.keyboard.press(']');
      await until(on.page, `new URL(location.href).searchParams.get('step') === '10'`);
      await on.page.keyboard.press(']');
      await until(on.page, `new URL(location.href).searchParams.get('step') === '20'`);
      await on.page.locator('[data-step="20"].current').getByText('2.5').first().waitFor();
      await on.page.keyboard.press('[');
      await until(on.page, `new URL(location.href).searchParams.get('step') === '10'`);
      await on.page.keyboard.press('E');
      await until(on.page, `new URL(location.href).searchParams.get('step') === '7'`);
      await on.page.reload();
      await on.page.locator('[data-step="7"].current').getByText('thought of step 7', { exact: true }).waitFor();
    });

    test('the head has the numbers of the document', async () => {
      await on.tab.open(`/runs/${on.first}`);
      const { run } = (await on.server.json(`/runs/${on.first}`)) as {
        run: { bestScore: number; finalScore: number; costUsd: string; steps: number; maxSteps: number };
      };
      const told = await facts();
      expect(told['score']).toContain(formatScore(run.bestScore));
      expect(told['final']).toBe(formatScore(run.finalScore));
      expect(told['cost']).toContain(formatUsd(Number(run.costUsd)));
      expect(told['steps']).toBe(`${run.steps} of ${run.maxSteps}`);
    });

    test('how did the score move? Each evaluation with its step, drawn and in a table', async () => {
      await on.tab.open(`/runs/${on.first}?tab=scores`);
      const { evaluations } = (await on.server.json(`/runs/${on.first}/evaluations`)) as {
        evaluations: { step: number; primary: number | null }[];
      };
      const rows = on.page.getByRole('region', { name: 'Evaluations' }).locator('tbody tr');
      await expect.poll(() => rows.count()).toBe(evaluations.length);
      for (const [i, { step, primary }] of evaluations.entries()) {
        expect(await rows.nth(i).innerText()).toContain(`step ${step}`);
        expect(await rows.nth(i).innerText()).toContain(formatScore(primary));
      }
      await on.page.locator('.chart svg path[stroke="var(--series-0)"]').first().waitFor({ state: 'attached' });
    });

    test.each(['prompt', 'calls', 'files', 'events', 'setup'])(
      '%s: says what there is, or that there is nothing',
      async (name) => {
        await on.tab.open(`/runs/${on.first}?tab=${name}`);
        const panel = on.page.getByRole('tabpanel');
        await until(
          on.page,
          `document.querySelector('[role=tabpanel]').textContent.trim().length > 20 && document.querySelector('.loading') === null`,
        );
        expect(await panel.getByText('This failed').count()).toBe(0);
      },
    );

    test('which snapshot can I take home? Its archive, by a click', async () => {
      const archive = Buffer.from('the files of a workspace');
      const sha256 = await createFileArtifactStore(join(on.server.home, 'artifacts')).put(archive);
      const { pool } = await on.server.bench.database();
      await pool.query(`insert into artifacts (sha256, bytes, kind) values ($1, $2, 'snapshot')`, [
        sha256,
        archive.length,
      ]);
      await pool.query(
        `with host as (insert into hosts (host_id, hostname, seen_at) values ('h-disks', 'gpu-7', now() - interval '1 year') returning host_id)
         insert into snapshots (run_id, step, epoch, reason, artifact, bytes, disk, disk_host)
         select $1, 10, 0, 'validate', $2::text, $3::bigint, null, null union all select $1, 20, 0, 'validate', null, null, 'd', host_id from host`,
        [on.first, sha256, archive.length],
      );
      await on.tab.open(`/runs/${on.first}?tab=files`);
      const row = (step: string) => on.page.getByRole('row', { name: new RegExp(`^${step} `) });
      expect(await row('20').innerText()).toContain('on a disk of gpu-7');
      const coming = on.page.waitForEvent('download');
      await row('10').getByRole('button', { name: 'download the snapshot of step 10' }).click();
      const download = await coming;
      expect(download.suggestedFilename()).toBe(`${on.first}-step-10.tar.gz`);
      expect(readFileSync(await download.path(), 'utf8')).toBe(String(archive));
      expect(on.page.url()).toContain('tab=files');
      // Others are about a home without hosts.
      await pool.query(`delete from snapshots`);
      await pool.query(`delete from hosts where host_id = 'h-disks'`);
    });

    test('only what matters: validates, errors, one category, as a list', async () => {
      await on.tab.open(`/runs/${on.first}?show=validates&density=list`);
      await on.page.locator('[data-step="10"]').waitFor();
      expect(
        await on.page
          .locator('[data-step]')
          .evaluateAll((all) =>
            all.map((one) => (one as unknown as { dataset: Record<string, string> }).dataset['step']),
          ),
      ).toEqual(['10', '20', String(STEPS)]);
      await on.tab.open(`/runs/${on.first}?show=errors`);
      await on.page.locator('[data-step="7"]').waitFor();
      await expect.poll(() => on.page.locator('[data-step]').count()).toBe(1);
    });

    test('a short form of an id becomes the whole', async () => {
      await on.tab.open(`/runs/${on.first.slice(-8)}`);
      await on.page.waitForURL(`**/runs/${on.first}*`);
    });

    test('one that is not there says so, and what to do', async () => {
      await on.tab.open('/runs/r-nothing');
      await on.page.getByText('Not found').waitFor();
    });
  });

  describe('Batches and Batch', () => {
    test('which did I submit, how did they end?', async () => {
      await on.tab.open('/batches');
      await on.page.getByRole('link', { name: 'sweep' }).click();
      await on.page.getByRole('heading', { name: 'sweep', level: 1 }).waitFor();
      expect(new URL(on.page.url()).pathname).toBe(`/batches/${on.sweep.batch.batchId}`);
    });

    test('how good? The best of each model at each task, which opens its run', async () => {
      await on.tab.open(`/batches/${on.sweep.batch.batchId}`);
      const { cells } = (await on.server.json(`/batches/${on.sweep.batch.batchId}/matrix`)) as {
        cells: { model: string; task: string; best: number | null; bestRun: string; ended: number; runs: number }[];
      };
      expect(cells).toHaveLength(MODELS.length * TASKS.length);
      for (const { model, task, best, bestRun, ended, runs } of cells) {
        const cell = on.page.locator('.matrix tbody tr', { hasText: model }).locator('td').nth(TASKS.indexOf(task));
        expect(await cell.locator('.cell-score').innerText()).toContain(best === null ? 'no score' : formatScore(best));
        if (best !== null) expect(await cell.getByTitle(bestRun).getAttribute('href')).toBe(`/runs/${bestRun}`);
        expect(await cell.locator('.cell-runs').innerText()).toContain(`${ended}/${runs}`);
      }
    });

    test('how did its runs end?', async () => {
      await on.tab.open(`/batches/${on.sweep.batch.batchId}?tab=ends`);
      await on.page.getByRole('heading', { name: 'How runs ended' }).waitFor();
      const { exits } = (await on.server.json(`/batches/${on.sweep.batch.batchId}`)) as { exits: { runs: number }[] };
      await expect.poll(() => on.page.locator('table').first().locator('tbody tr').count()).toBe(exits.length);
    });

    test('what would an action do? It is counted on.first, and a viewer is not offered any', async () => {
      await on.tab.open(`/batches/${on.sweep.batch.batchId}`);
      const { role } = (await on.server.json('/me')) as { role: string };
      expect(role).toBe('operator');
      await on.page.locator('.steering button', { hasText: 'Retry' }).click();
      const dialog = on.page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Do nothing' }).waitFor();
      await dialog.locator('.effects, .state').first().waitFor();
      await on.page.keyboard.press('Escape');
      await until(on.page, `document.querySelector('dialog') === null`);
      const viewer = await openPage(on.browser, { ...on.server, token: on.server.viewerToken });
      try {
        await viewer.open(`/batches/${on.sweep.batch.batchId}`);
        await viewer.page.getByText('viewer', { exact: true }).waitFor();
        expect(await viewer.page.locator('.steering').count()).toBe(0);
      } finally {
        await viewer.close();
      }
    });
  });

  test('Now: does anything need me?', async () => {
    await on.tab.open('/');
    await on.page.getByText('nothing needs you').waitFor();
    await on.page.getByRole('link', { name: 'sweep' }).waitFor();
  });

  test('Leaderboard: who is best, and on what evidence? Its figures are those of the command', async () => {
    const board = await on.db.queries.leaderboard({ newest: true, intervals: true });
    await on.tab.open('/leaderboard');
    const rows = on.page.getByRole('region', { name: 'Ranked models' }).locator('tbody tr');
    await rows.first().waitFor();
    for (const [i, row] of board.rows.entries()) {
      const words = await rows.nth(i).innerText();
      expect(words).toContain(row.model);
      expect(words).toContain(row.bestAup!.toFixed(3));
      for (const { task } of board.tasks) expect(words).toContain(formatScore(row.scores[task]!.best));
    }
    await rows.first().getByRole('button').nth(1).click();
    const evidence = on.page.getByRole('dialog');
    await evidence
      .getByText(/counted$/)
      .first()
      .waitFor();
    await expect.poll(() => evidence.locator('tbody tr').count()).toBe(2);
    expect(on.search().get('task')).not.toBeNull();
    await on.page.reload();
    await on.page.getByRole('dialog').locator('tbody tr').first().waitFor();
  });

  test('Compare: where did two runs part, and does that explain the score?', async () => {
    const [a, b] = [on.sweep.runs[0]!.runId, on.sweep.runs[1]!.runId];
    await on.tab.open(`/compare?runs=${a}&runs=${b}`);
    await on.page.getByText('First divergence').waitFor();
    expect(await on.page.locator('.differs').allInnerTexts()).toContainEqual(expect.stringContaining('seed'));
    await on.page.locator('.pair').getByText('thought of step', { exact: false }).first().waitFor();
  });

  test('Present: a run at its pace, step by step', async () => {
    await on.tab.open(`/runs/${on.first}/present?step=19`);
    await on.page.getByText('thought of step 19', { exact: true }).waitFor();
    await on.page.keyboard.press('l');
    await on.page.getByText('It validates: 2.5').waitFor();
    expect(on.search().get('step')).toBe('20');
  });

  test('Operations: does the fleet work?', async () => {
    await on.tab.open('/ops');
    await on.page.getByRole('heading', { name: 'Hosts' }).waitFor();
    await on.page.getByText('No host is registered').waitFor();
  });

  test('with the keyboard alone: from the start to the step of a given score', async () => {
    const { runs } = (await on.server.json('/runs?sort=-createdAt')) as { runs: { runId: string }[] };
    await on.tab.open('/');
    await on.page.keyboard.press('g');
    await on.page.keyboard.press('r');
    await on.page.locator('[data-row="0"]').waitFor();
    const downs = runs.findIndex(({ runId }) => runId === on.first);
    for (let i = 0; i <= downs; i++) {
      await on.page.keyboard.press('j');
      await until(on.page, `document.activeElement?.getAttribute('data-row') === '${i}'`);
    }
    await on.page.keyboard.press('Enter');
    await on.page.waitForURL(`**/runs/${on.first}*`);
    await on.page.locator('[data-step="1"]').waitFor();
    for (const step of ['10', '20']) {
      await on.page.keyboard.press(']');
      await until(on.page, `new URL(location.href).searchParams.get('step') === '${step}'`);
    }
    await on.page.locator('[data-step="20"].current').getByText('2.5').first().waitFor();
    await on.page.keyboard.press('?');
    await on.page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await on.page.keyboard.press('Escape');
    await on.page.keyboard.press('Control+k');
    await on.page.getByRole('combobox', { name: 'Go to' }).fill('sweep');
    // At once: what is listed by then is not yet what was typed.
    await on.page.keyboard.press('Enter');
    await on.page.getByRole('heading', { name: 'sweep', level: 1 }).waitFor();
  });

  test('with the keyboard alone: from the leaderboard to the step that made a score, and the change that made it', async () => {
    const artifacts = createFileArtifactStore(join(on.server.home, 'artifacts'));
    for (const [step, text] of [
      [10, 'learn'],
      [20, 'learn harder'],
    ] as const) {
      const sha256 = await storeSubmission(artifacts, [{ path: 'answer.py', bytes: Buffer.from(`${text}\n`) }]);
      const values = [on.first, step, sha256];
      await on.db.pool.query(
        `insert into submissions (run_id, step, kind, sha256) values ($1, $2, 'validate', $3)`,
        values,
      );
      await on.db.pool.query(
        `update evaluations set submission_sha256 = $3 where run_id = $1 and step = $2 and kind = 'validate'`,
        values,
      );
    }
    /** Tab, until what has the focus is this. */
    const tabTo = async (test: string): Promise<void> => {
      for (let i = 0; !(await on.page.evaluate<boolean>(`(${test})(document.activeElement)`)); i++) {
        expect(i).toBeLessThan(200);
        await on.page.keyboard.press('Tab');
      }
    };
    await on.tab.open('/');
    await on.page.keyboard.press('g');
    await on.page.keyboard.press('l');
    const cell = `(at) => at.matches('tbody button') && at.closest('tr').innerText.includes('alpha') && at.innerText.includes('2.5')`;
    await on.page.getByRole('region', { name: 'Ranked models' }).locator('tbody tr').first().waitFor();
    await tabTo(cell);
    await on.page.keyboard.press('Enter');
    await on.page.getByRole('dialog').locator('tbody tr').first().waitFor();
    await tabTo(`(at) => at.matches('a[href*="${on.first}"]')`);
    await on.page.keyboard.press('Enter');
    await on.page.waitForURL(`**/runs/${on.first}*`);
    await on.page.locator('[data-step]').first().waitFor();
    for (;;) {
      const at = await on.page.evaluate<string | null>(
        `document.querySelector('[data-step].current .step-head')?.innerText ?? null`,
      );
      if (at?.includes('2.5')) break;
      const before = on.search().get('step');
      await on.page.keyboard.press(']');
      await until(on.page, `new URL(location.href).searchParams.get('step') !== ${JSON.stringify(before)}`);
    }
    expect(on.search().get('step')).toBe('20');
    await on.page.keyboard.press('2');
    await on.page.getByRole('heading', { name: 'Score ladder' }).waitFor();
    await on.page.getByText('learn harder').first().waitFor();
  });

  test('without a token nothing is shown but how to get one', async () => {
    const stranger = await openPage(on.browser, { ...on.server, token: 'wrong' });
    try {
      await stranger.page.goto(`${on.server.address}/runs`);
      await stranger.page.getByText('A token is needed').first().waitFor();
      expect(await stranger.page.getByText('alpha').count()).toBe(0);
      await stranger.page.locator('input[name=token]').first().fill(`${on.server.address}/#token=${on.server.token}`);
      await stranger.page.getByRole('button', { name: 'Use it' }).first().click();
      await stranger.page.getByText('12 runs').waitFor();
    } finally {
      await stranger.close();
    }
  });

  describe('for everybody', () => {
    const pages = (): [string, string][] => [
      ['Now', '/'],
      ['Batches', '/batches'],
      ['Batch', `/batches/${on.sweep.batch.batchId}`],
      ['Batch, spend', `/batches/${on.sweep.batch.batchId}?tab=spend`],
      ['Batch, ends', `/batches/${on.sweep.batch.batchId}?tab=ends`],
      ['Runs', '/runs'],
      ['Runs, none', '/runs?text=nothing-has-this'],
      ['Run', `/runs/${on.first}`],
      ['Run, list', `/runs/${on.first}?density=list`],
      ['Run, scores', `/runs/${on.first}?tab=scores`],
      ['Run, setup', `/runs/${on.first}?tab=setup`],
      ['Run, calls', `/runs/${on.first}?tab=calls`],
      ['Run, missing', '/runs/r-nothing'],
      ['Leaderboard', '/leaderboard'],
      ['Compare', `/compare?runs=${on.first}&runs=${on.sweep.runs[1]!.runId}`],
      ['Present', `/runs/${on.first}/present`],
      ['Operations', '/ops'],
      ['Integrity', '/integrity'],
      ['Tasks', '/tasks'],
      ['Task', '/tasks/one'],
      ['Trend', '/trend?task=one&model=alpha'],
      ['Models', '/models'],
      ['Model', '/models/alpha'],
      ['Agent', '/agents/default'],
      ['Episodes, none', '/episodes'],
      ['SQL', '/sql?q=select+1'],
      ['Search, none', '/search'],
      ['Search', '/search?q=train'],
      ['Run, find', `/runs/${on.first}?find=whole+line`],
    ];
    // Without it, each page is opened and read above, and used with the keyboard alone.
    test.runIf(LONG).each(['light', 'dark'] as const)(
      'axe finds nothing on pages, %s; nothing is wider than a phone',
      async (colorScheme) => {
        const own = await openPage(on.browser, on.server, { colorScheme });
        try {
          const found: string[] = [];
          for (const [name, path] of pages()) {
            await own.page.setViewportSize({ width: 1440, height: 900 });
            await own.open(path);
            found.push(...(await violationsOf(own.page)).map((violation) => `${name}: ${violation}`));
            await own.page.setViewportSize({ width: 390, height: 844 });
            const overflow = Number(
              await own.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
            );
            if (overflow > 0) found.push(`${name}: ${overflow} pixels wider than a phone`);
          }
          expect(found).toEqual([]);
          expect(own.complaints).toEqual([]);
        } finally {
          await own.close();
        }
      },
    );
  });
});
