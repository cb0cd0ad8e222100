import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { batchState, nextCommand } from '../../../cli/render/batch-state.js';
import { batchFaults, renderBatch } from '../../../cli/render/batch.js';
import { renderBatches } from '../../../cli/render/batches.js';
import { renderRuns } from '../../../cli/render/runs.js';
import { renderTable } from '../../../cli/render/table.js';
import { watchHeadline } from '../../../cli/render/watch.js';
import { report, run } from './fixtures.js';

const plain = pc.createColors(false);
const ID = report([]).batchId;

describe('the state of a batch', () => {
  it('says that it is paused, what is charged to its budget, what its runs wait for, and what was replaced', () => {
    const batch = report([run(), run({ status: 'queued' })], {
      budgetUsd: '5',
      chargedUsd: '4',
      byStatus: { waiting_gpu: 2, waiting_host: 1, queued: 3 },
      byEndReason: { budget: 1 },
      replaced: 1,
    });
    expect(batchState(batch)).toEqual([
      'budget $5.00, charged $4.00 (80 %); it stopped 1 run',
      '2 runs wait for GPUs: bench hosts',
      '1 run waits for a host with room: bench hosts',
      '3 runs wait for their turn: 8 at a time',
      '1 run was replaced by a later one',
    ]);
    const paused = batchState({ ...batch, pausedAt: '2026-01-31T12:00:00.000Z' });
    expect(paused[0]).toMatch(/^paused since /);
    expect(paused.join('\n')).not.toContain('their turn');
    const shown = renderBatch(batch, plain);
    for (const line of batchState(batch)) expect(shown).toContain(line);
    expect(shown).toContain(`Next: bench watch ${ID}`);
  });

  it('says that runs wait for the person who plays them', () => {
    const played = run({ modelKind: 'human', status: 'running' });
    expect(batchState(report([played, played, run()]))).toEqual(['2 runs wait for a player on the page: bench serve']);
    expect(batchState(report([{ ...played, status: 'ended' }]))).toEqual([]);
  });

  it('names the hosts of its runs that are away, with the server that they do not reach if that is known', () => {
    const seenAt = '2026-01-31T12:00:00.000Z';
    const unreachableHosts = [
      { hostId: 'a', runs: 2, seenAt, unreachableServer: 'Temporal' as const },
      { hostId: 'b', runs: 1, seenAt, unreachableServer: null },
    ];
    const [first, second] = batchState(report([run()], { unreachableHosts }));
    expect(first).toBe('host a, with 2 runs of it, does not reach Temporal');
    expect(second).toMatch(/^host b, with 1 run of it, has not registered since .*12:00/);
  });

  it('of a training batch tells its episodes, their reward, and who serves it; it is never over', () => {
    const episodes = { open: 3, ended: 40, states: { idle: 0, waiting: 1, active: 2 }, reward: 0.25, latest: 40 };
    const batch = report([run(), run({ status: 'queued' })], {
      ...{ name: 'spring', training: true, episodes, byStatus: { queued: 1 } },
    });
    const line = '3 episodes open (1 waiting, 2 active), 40 ended; mean reward of the last 40: 0.25';
    expect(batchState(batch)).toEqual([line, '`bench env serve --name spring` serves it; it has no workflow']);
    expect(nextCommand(batch)).toBe(`bench episodes list ${ID}`);
    expect(renderBatch(batch, plain)).toContain('0 of 2 episodes ended');
    expect(watchHeadline(batch, plain)).toContain(line);
    expect(watchHeadline(batch, plain)).not.toContain('left');
    expect(batchState({ ...batch, episodes: { ...episodes, reward: null } })[0]).toBe(
      '3 episodes open (1 waiting, 2 active), 40 ended',
    );
    expect(renderBatches([batch], plain)).toContain('training');
  });

  it('names the command that goes on', () => {
    const ended = { ...report([run({ status: 'ended' })]), status: 'ended' as const };
    expect(nextCommand(report([run()]))).toBe(`bench watch ${ID}`);
    expect(nextCommand(report([run()], { pausedAt: '2026-01-31T12:00:00.000Z' }))).toBe(`bench resume ${ID}`);
    expect(nextCommand({ ...ended, byEndReason: { infra_error: 2 }, replaced: 1 })).toBe(`bench retry ${ID}`);
    expect(nextCommand({ ...ended, byEndReason: { config_error: 1 } })).toBe(`bench retry ${ID} --all`);
    expect(nextCommand({ ...ended, byEndReason: { config_error: 1 }, replaced: 1 })).not.toContain('retry');
    expect(nextCommand({ ...ended, byEndReason: { budget: 1 } })).toBe(`bench resume ${ID} --budget <usd>`);
    expect(nextCommand(ended)).toBe(`bench leaderboard --batch ${ID}`);
  });

  it('tells each fault once, however many runs it ended', () => {
    const failed = (runId: string, detail: string) =>
      run({ runId, status: 'ended', endReason: 'config_error', detail });
    expect(batchFaults(report([failed('r-a', 'no key'), failed('r-b', 'no model'), failed('r-c', 'no key')]))).toEqual([
      'r-a and 1 other run: config_error: no key',
      'r-b: config_error: no model',
    ]);
  });

  it('takes time in proportion to its runs', () => {
    const user = (rows: number): number => {
      const list = Array.from({ length: rows }, (_, attempt) => run({ attempt }));
      const before = process.cpuUsage();
      renderRuns(list, plain);
      return process.cpuUsage(before).user;
    };
    user(500);
    // Eight times the runs; with a quadratic table it is more than thirty times.
    expect(user(8000)).toBeLessThan(20 * Math.max(user(1000), 10_000));
  });
});

it('a table keeps its columns apart, whatever its cells hold', () => {
  const rows = [
    { name: 'a', score: '1' },
    { name: 'two\nlines', score: '22' },
    { name: '漢字', score: '4' },
  ];
  expect(
    renderTable(
      rows,
      [
        { title: 'name', value: ({ name }) => name },
        { title: 'score', value: ({ score }) => score, align: 'right' },
      ],
      plain,
    ),
  ).toBe('name       score\na              1\ntwo lines     22\n漢字           4');
});

it('batches are listed with their runs by state, cost, budget and age', () => {
  const {
    runList: _,
    byEndReason: __,
    replaced: ___,
    ...batch
  } = report([run(), run({ status: 'queued' })], {
    budgetUsd: '5',
    costUsd: '1.5',
    byStatus: { running: 1, queued: 1 },
  });
  const now = new Date('2026-01-31T14:30:00.000Z');
  const lines = renderBatches([{ ...batch, name: 'mine' }], plain, now).split('\n');
  expect(lines[1]?.split(/ {2,}/)).toEqual([
    ID,
    'mine',
    'running',
    '0/2',
    '1 running, 1 queued',
    '$1.50 of $5.00',
    '2 h 30 min',
  ]);
});
