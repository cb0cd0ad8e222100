import { plural } from '../../domain/text/format.js';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { BatchDocument } from '../../domain/views/batches.js';
import type { QueryResult } from '../../domain/views/database.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { RunDetail } from '../../domain/views/runs.js';
import type { TrajectoryDocument } from '../../domain/views/trajectory.js';
import type { TreeDocument } from '../../domain/views/tree.js';
import { heatCell } from '../../web/client/leaderboard/heat-cell.js';
import { fixed } from '../../web/client/parts/format.js';
import {
  formatBytes,
  formatCompact,
  formatCount,
  formatDuration,
  formatPercent,
  formatScore,
  formatUsd,
} from '../../domain/text/format.js';
import { cliJson } from '../setup/cli-json.js';
import { until } from '../setup/page-server.js';
import { makeEpisodes, storeEpisodes } from '../sql/training-episodes.js';
import { violationsOf } from './axe.js';
import { executable, useSweepPage } from './sweep-page.js';
import { storeTree } from './tree.js';

// Episodes, integrity, and what was played.
describe.runIf(executable !== null)('figures', () => {
  let training: string;
  let tree: string;
  const on = useSweepPage(async (db, sweep) => {
    training = await storeEpisodes(db, 'training', makeEpisodes(1, 40));
    tree = await storeTree(db);
    await db.pool.query(
      `insert into integrity_flags (run_id, rule, step, detail, version) values ($1, 'protected_write', 3, 'wrote evaluate.py', 1)`,
      [sweep.runs[0]!.runId],
    );
  });

  test('Episodes: does the policy learn? Curves, groups without spread, and the episodes of a group', async () => {
    const policies = await on.db.queries.policyMetrics(training);
    await on.tab.open('/episodes');
    const rows = on.page.getByRole('region', { name: 'Policy versions' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(policies.length);
    for (const [i, { policy_version: version, reward, episodes }] of policies.entries()) {
      const cells = await rows.nth(i).locator('td').allInnerTexts();
      expect(cells.slice(0, 2)).toEqual([String(version ?? 'none'), String(episodes)]);
      expect(cells[3]).toBe(reward === null ? '–' : formatScore(reward));
    }
    await on.page.locator('.chart svg path').first().waitFor({ state: 'attached' });
    await on.page.getByRole('tab', { name: 'Groups' }).click();
    const groups = await on.db.queries.groupMetrics(training);
    const listed = on.page.getByRole('region', { name: 'Groups' }).locator('tbody tr');
    await listed.first().waitFor();
    await expect.poll(() => listed.count()).toBe(groups.length);
    await expect
      .poll(() => listed.getByText('no spread').count())
      .toBe(groups.filter((one) => one.zero_spread === true).length);
    const named = groups.find(({ group }) => group !== null)!;
    await listed.getByRole('button', { name: named.group!, exact: true }).first().click();
    await on.page.getByRole('grid').locator('[data-row="0"]').waitFor();
    expect(new URL(on.page.url()).searchParams.get('group')).toBe(named.group);
    await on.page.locator('[data-row="0"]').click();
    await on.page.waitForURL('**/runs/r-*');
  });

  test('Integrity: which numbers must I not believe? A flag opens at the step that fired it', async () => {
    await on.tab.open('/integrity');
    await on.page.getByText('wrote evaluate.py').waitFor();
    await on.page.getByText('python train.py --step 3').waitFor();
    await on.page.getByRole('region', { name: 'By rule' }).getByLabel('protected write').check();
    await until(on.page, `new URL(location.href).searchParams.get('rule') === 'protected_write'`);
    await on.page.getByRole('link', { name: 'step 3' }).click();
    await on.page.locator('[data-step="3"].current').waitFor();
  });

  test('Run: which tree did it play, which node does it stand for, and what did that one do?', async () => {
    const { nodes, selectedNode, limits } = await cliJson<TreeDocument>(on.server.bench, 'tree', tree);
    await on.tab.open(`/runs/${tree}`);
    const rows = on.page.getByRole('region', { name: 'Nodes of the tree' }).locator('tbody tr');
    await rows.first().waitFor();
    const told = await Promise.all((await rows.all()).map((row) => row.locator('th, td').allInnerTexts()));
    const shown = new Map(told.map(([name, ...cells]) => [Number(/\d+/.exec(name!)), { name: name!, cells }]));
    expect(shown.size).toBe(nodes.length);
    for (const { node, operator, secondParent, status, score: value, steps, spentUsd } of nodes) {
      const { name, cells } = shown.get(node)!;
      expect(cells[0]).toBe(secondParent === null ? operator : `${operator} with ${secondParent}`);
      expect(cells[1]).toContain(status);
      expect(cells.slice(2, 5)).toEqual([
        formatScore(value),
        String(steps),
        spentUsd === null ? '–' : formatUsd(Number(spentUsd)),
      ]);
      expect(/selected/.test(name)).toBe(node === selectedNode);
    }
    expect(nodes.map(({ status }) => status)).toEqual(expect.arrayContaining(['scored', 'failed', 'lost']));
    await on.page.getByText(`${nodes.length} of ${limits.nodes}`, { exact: true }).first().waitFor();
    const picture = on.page.getByRole('region', { name: 'Picture of the tree' });
    await expect.poll(() => picture.locator('g').count()).toBe(nodes.length);
    expect(await picture.locator('g.selected .name').textContent()).toBe(String(selectedNode));
    expect(await violationsOf(on.page)).toEqual([]);
    await rows.filter({ hasText: 'selected' }).getByRole('link').click();
    await on.page.waitForURL(`**/runs/${nodes[selectedNode!]!.runId}*`);
    await on.page.locator('[data-step="1"]').waitFor();
    await on.page.getByRole('link', { name: `node ${selectedNode} of a tree` }).click();
    await on.page.waitForURL(`**/runs/${tree}?tab=tree`);
    await rows.first().waitFor();
  });

  test('Tasks, models, agents: who has done it how well?', async () => {
    await on.tab.open('/tasks');
    await on.page.getByRole('link', { name: 'one', exact: true }).click();
    await on.page.getByRole('heading', { name: 'one', level: 1 }).waitFor();
    const board = await on.db.queries.leaderboard({});
    const table = on.page.getByRole('region', { name: 'Outcomes of its runs' });
    await table.waitFor();
    for (const { model, scores } of board.rows) {
      // The tree plays another task.
      if (scores['one']!.bestRun === null) continue;
      const row = table.locator('tbody tr', { has: on.page.getByRole('link', { name: model, exact: true }) });
      await row.getByTitle(scores['one']!.bestRun).getByText(formatScore(scores['one']!.best)).waitFor();
    }
    await table.getByRole('link', { name: 'beta', exact: true }).click();
    await on.page.getByRole('heading', { name: 'beta', level: 1 }).waitFor();
    await on.page
      .getByRole('navigation', { name: 'Tasks, models or agents' })
      .getByRole('link', { name: 'Agents' })
      .click();
    await on.page.getByRole('link', { name: 'default', exact: true }).click();
    await on.page
      .getByText(/contract|first/)
      .first()
      .waitFor();
  });

  describe('every figure is that of --json', () => {
    const json = <Document>(...args: string[]): Promise<Document> => cliJson<Document>(on.server.bench, ...args);
    /** Without spaces, which are the layout's. */
    const told = (text: string): string => text.replace(/\s+/g, '');
    const texts = async (cells: Locator): Promise<string[]> => (await cells.allInnerTexts()).map(told);
    const rowsOf = async (table: Locator): Promise<string[][]> =>
      Promise.all((await table.locator('tbody tr').all()).map((row) => texts(row.locator('th, td'))));
    const facts = async (list: Locator): Promise<Record<string, string>> =>
      Object.fromEntries(
        await Promise.all(
          (await list.locator('.fact').all()).map(async (fact) => [
            await fact.locator('dt').innerText(),
            told(await fact.locator('dd').innerText()),
          ]),
        ),
      ) as Record<string, string>;
    const money = (exact: string | null): string => formatUsd(exact === null ? null : Number(exact));
    const expectRows = (found: string[][], expected: string[][]): void =>
      expect(found).toEqual(expected.map((row) => row.map(told)));

    test('of the leaderboard', async () => {
      const board = await json<Leaderboard>('leaderboard');
      await on.tab.open('/leaderboard');
      const tasks = board.tasks.filter(({ compared }) => compared);
      const ranked = board.rows.filter(({ unranked }) => unranked === null);
      expect(ranked.length).toBeGreaterThan(2);
      expectRows(await rowsOf(on.page.getByRole('region', { name: 'Ranked models' })), [
        ...ranked.map((row) => {
          const { bestWinRate, group, pBest } = row.intervals!;
          const flags = Object.entries(row.flags).map(([rule, runs]) => `${rule.replaceAll('_', ' ')} ${runs}`);
          return [
            String(row.rank),
            row.model + (flags.length === 0 ? '' : '⚑'),
            (row.winRate?.best == null ? '–' : formatPercent(row.winRate.best)) +
              (bestWinRate === null ? '' : `${formatPercent(bestWinRate.low)} – ${formatPercent(bestWinRate.high)}`),
            ...tasks.map((task) => {
              const cell = row.scores[task.task]!;
              const { text, note } = heatCell(row, task, 'best');
              return `${text}${cell.suspect > 0 ? ' ⚠' : ''}${note === undefined ? '' : ` ${note}`}`;
            }),
            group ?? '–',
            pBest === null ? '–' : formatPercent(pBest.best),
            fixed(row.gain?.best, 3),
            fixed(row.bestAup, 3) +
              (row.withSuspects === null ? '' : `${fixed(row.withSuspects.bestAup, 3)} with suspects`),
            `${row.improvedTasks ?? '–'}/${tasks.length}`,
            fixed(row.averageRank),
            money(row.costPerRunUsd) + (row.costKind === 'charged' ? '' : row.costKind),
          ];
        }),
        ...(board.baseline === null
          ? []
          : [
              [
                ...['', 'baseline', '', ...tasks.map(({ baseline }) => formatScore(baseline)), ''],
                ...[fixed(board.baseline.bestAup, 3), '', fixed(board.baseline.averageRank), ''],
              ],
            ]),
      ]);
      const titles = await on.page
        .getByRole('region', { name: 'Ranked models' })
        .locator('tbody tr')
        .first()
        .locator('td[title^="95 %"]')
        .evaluateAll((cells) => cells.map((cell) => (cell as unknown as { title: string }).title));
      const gain = ranked[0]!.intervals!.bestGain;
      expect(titles).toEqual(gain === null ? [] : [`95 %: ${fixed(gain.low, 3)} to ${fixed(gain.high, 3)}`]);
      const words = await on.page.locator('.page > p.muted').first().innerText();
      expect(words).toContain(`${plural(ranked.length, 'model')} over ${plural(tasks.length, 'task')}`);
      expect(words).toContain(`T = ${fixed(board.comparison.T, 3)}`);
    });

    test('of a batch', async () => {
      const id = on.sweep.batch.batchId;
      const batch = await json<BatchDocument>('status', id);
      const board = await json<Leaderboard>('leaderboard', ...['--batch', id]);
      await on.tab.open(`/batches/${id}`);
      expect(await facts(on.page.locator('.headline'))).toEqual({
        'runs ended': `${batch.ended}of${batch.totalRuns}`,
        cost: money(batch.costUsd),
        budget: batch.budgetUsd ?? 'none',
        steps: formatCount(batch.steps),
        concurrency: String(batch.concurrency),
        priority: String(batch.priority),
        seed: String(batch.seed),
        created: expect.any(String) as string,
        ended: expect.any(String) as string,
      });
      const ends = await on.page.locator('.ends-words .badge').allInnerTexts();
      expect(ends.reduce((sum, text) => sum + Number(/\d+/.exec(text)), 0)).toBe(batch.totalRuns);
      const matrix = await rowsOf(on.page.locator('.matrix').locator('..'));
      expectRows(
        matrix,
        board.rows
          .map(({ model, scores }) => [
            model,
            ...board.tasks.map(({ task }) => {
              const { best, suspect } = scores[task]!;
              const runs = batch.runs.filter((run) => run.model === model && run.task === task);
              const cost = runs.reduce((sum, run) => sum + Number(run.costUsd), 0);
              const ended = runs.filter(({ status }) => status === 'ended').length;
              return `${best === null ? 'no score' : formatScore(best)}${suspect > 0 ? '⚠' : ''}${ended}/${runs.length} ended ${formatUsd(cost)}`;
            }),
          ])
          .sort(([a], [b]) => (a! < b! ? -1 : 1)),
      );
      await on.tab.open(`/batches/${id}?tab=ends`);
      const ways = new Map<string, number>();
      for (const { endReason, finalEvaluation, exitStatus } of batch.runs) {
        const way = JSON.stringify([endReason, finalEvaluation, exitStatus]);
        ways.set(way, (ways.get(way) ?? 0) + 1);
      }
      const shown = await rowsOf(on.page.getByRole('tabpanel').locator('table').first().locator('..'));
      expect(shown.map(([reason, final, , status, runs]) => [reason, final, status, runs]).sort()).toEqual(
        [...ways]
          .map(([way, runs]) => [
            ...(JSON.parse(way) as string[]).map((word) => told(word.replaceAll('_', ' '))),
            String(runs),
          ])
          .sort(),
      );
    });

    test('of what a batch spent, and when', async () => {
      const id = on.sweep.batch.batchId;
      const batch = await json<BatchDocument>('status', id);
      await on.tab.open(`/batches/${id}?tab=spend`);
      await on.page.getByText('as a table').first().click();
      const rows = await rowsOf(on.page.getByRole('tabpanel').locator('table').first().locator('..'));
      const { rows: calls } = await json<QueryResult>(
        'sql',
        `select coalesce(sum(c.cost_usd), 0)::float8 from model_calls c join runs r using (run_id) where r.batch_id = '${id}'`,
      );
      expect(rows.length).toBeGreaterThan(1);
      expect(rows.at(-1)!.slice(2)).toEqual([formatUsd(Number(calls[0]![0])), '0', String(batch.ended)].map(told));
      await on.tab.open(`/batches/${id}`);
      const times = await on.page.evaluate<string[]>(
        `[...document.querySelectorAll('.headline time')].map((time) => time.dateTime)`,
      );
      expect(times.map((at) => Date.parse(at))).toEqual([batch.createdAt, batch.endedAt!].map((at) => Date.parse(at)));
    });

    test("of a run's calls", async () => {
      const run = await json<RunDetail>('show', on.first);
      const { steps } = await json<TrajectoryDocument>('trajectory', on.first);
      const { rows: calls } = await json<QueryResult>(
        'sql',
        `select step, try, attempt, status, input_tokens, output_tokens, cost_usd::float8, ms from model_calls where run_id = '${on.first}' order by step, try, attempt`,
      );
      await on.tab.open(`/runs/${on.first}?tab=calls`);
      const rows = await rowsOf(on.page.getByRole('region', { name: 'Model calls' }));
      expect(calls).toHaveLength(run.modelCalls!);
      expectRows(
        rows.map(([step, tried, status, input, , output, , cost, took]) =>
          [step, tried, status, input, output, cost, took].map((text) => text!),
        ),
        calls.map(([step, tried, attempt, status, input, output, cost, ms]) => [
          String(step),
          `${String(tried)}${Number(attempt) > 1 ? `, attempt ${String(attempt)}` : ''}`,
          `✓${String(status)}`,
          ...[input, output].map((tokens) => formatCount(Number(tokens))),
          formatUsd(Number(cost)),
          formatDuration(Number(ms)),
        ]),
      );
      const spent = calls.reduce((sum, call) => sum + Number(call[6]), 0);
      expect(steps.reduce((sum, { costUsd }) => sum + Number(costUsd), 0)).toBeCloseTo(spent, 9);
      const words = await on.page.getByRole('tabpanel').locator('p').first().innerText();
      expect(words).toContain(`${formatCount(run.modelCalls!)} calls cost ${formatUsd(spent)}`);
      expect(words).toContain(
        Number(run.costUsd) === spent ? "the run's cost" : `the run says ${formatUsd(Number(run.costUsd))}`,
      );
    });

    test('of a run', async () => {
      const run = await json<RunDetail>('show', on.first);
      const { steps } = await json<TrajectoryDocument>('trajectory', on.first);
      await on.tab.open(`/runs/${on.first}?density=list`);
      const gain = run.bestScore! - run.baseline!;
      const spent = [
        ...steps.map(({ modelMs, commandMs }) => (modelMs ?? 0) + (commandMs ?? 0)),
        ...run.evaluationList.map(({ ms }) => ms ?? 0),
      ].reduce((sum, ms) => sum + ms, 0);
      const took = Math.max(spent, Date.parse(run.endedAt!) - Date.parse(run.startedAt!));
      expect(await facts(on.page.locator('.headline'))).toEqual({
        [run.primary]: told(`${formatScore(run.bestScore)} ↑ best`),
        final: formatScore(run.finalScore),
        baseline: told(`${formatScore(run.baseline)} ▲ better by ${fixed(gain, 3)}`),
        'best of the task': expect.any(String) as string,
        steps: `${run.steps}of${run.maxSteps}`,
        cost: money(run.costUsd),
        tokens: formatCompact(run.usage.inputTokens + run.usage.outputTokens),
        took: told(formatDuration(took)),
        batch: 'sweep',
        attempt: String(run.attempt),
      });
      await on.page.getByRole('button', { name: 'more' }).click();
      const more = await facts(on.page.locator('.facts-table'));
      expect(more).toMatchObject({
        task: told(`${run.task} contract ${run.contract}`),
        seed: String(run.seed),
        sandbox: told(`epoch ${run.epoch}`),
        'model calls': formatCount(run.modelCalls!),
        tokens: told(
          `${formatCount(run.usage.inputTokens)} in, ${formatCount(run.usage.cachedTokens)} of them cached, ${formatCount(run.usage.outputTokens)} out`,
        ),
      });
      const times = await on.page.evaluate<string[]>(
        `[...document.querySelectorAll('.facts-table time')].map((time) => time.dateTime)`,
      );
      expect(times.map((at) => Date.parse(at))).toEqual(
        [run.createdAt, run.startedAt!, run.endedAt!].map((at) => Date.parse(at)),
      );
      // Their categories are the page's own.
      const heads = await on.page.evaluate<string[]>(
        `[...document.querySelectorAll('[data-step] .step-head')].map((head) =>
          [...head.children].filter((part) => !part.matches('.step-category')).map((part) => part.innerText).join(''))`,
      );
      expect(heads.map(told)).toEqual(
        steps.map((step) =>
          told(
            [
              step.step,
              ...step.evaluations.flatMap(({ primary }) => (primary === null ? [] : [`◆${formatScore(primary)}`])),
              step.exitCode === 0 || step.exitCode === null ? '' : `✕ exit ${step.exitCode}`,
              formatBytes(Buffer.byteLength(step.observation ?? '')),
              formatDuration(step.commandMs),
              money(step.costUsd),
            ].join(''),
          ),
        ),
      );
      await on.tab.open(`/runs/${on.first}?tab=scores`);
      const rows = await rowsOf(on.page.getByRole('region', { name: 'Evaluations' }));
      expectRows(
        rows.map((cells) => cells.toSpliced(10, 1)),
        run.evaluationList.map((one) => [
          String(one.number),
          `step ${one.step}`,
          one.kind,
          one.split,
          `${one.status === 'ok' ? '✓' : '✕'}${one.status.replaceAll('_', ' ')}${one.suspect ? '⚠suspect' : ''}`,
          formatScore(one.primary),
          Object.entries(one.metrics ?? {})
            .map(([name, value]) => `${name} ${formatScore(value)}`)
            .join(' · '),
          one.submissionSha256?.slice(0, 8) ?? '–',
          one.isolation,
          formatDuration(one.ms),
          one.fault ?? one.message,
        ]),
      );
    });
  });
});
