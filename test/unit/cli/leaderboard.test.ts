import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { leaderboardCsv } from '../../../cli/render/leaderboard-csv.js';
import { markdownForm, terminalForm } from '../../../cli/render/leaderboard-forms.js';
import { renderLeaderboard } from '../../../cli/render/leaderboard.js';
import type { Leaderboard, LeaderboardRow, LeaderboardScore } from '../../../domain/views/leaderboard.js';

const score = (best: number | null, more: Partial<LeaderboardScore> = {}): LeaderboardScore => ({
  ...{
    best,
    last: best,
    mean: best,
    bestRank: 1,
    lastRank: 1,
    bestGain: 0.8,
    lastGain: 0.6,
    bestRatio: 1,
    lastRatio: 1,
  },
  ...{ bestStatus: best === null ? 'missing' : 'feasible', lastStatus: best === null ? 'missing' : 'feasible' },
  ...{ bestRun: null, lastRun: null },
  ...{ bestAttempts: [best], lastAttempts: [best], attempts: 4, ended: 4, counted: 4, scored: 4 },
  ...{ infraErrors: 0, configErrors: 0, cancelled: 0, refused: 0, suspect: 0, costUsd: '0' },
  ...more,
});
const TASKS = ['battleOfSexes', 'imageClassificationCifar10', 'languageModelingFineWeb'];
const uncertainty = (low: number, high: number, first: number) => ({
  ...{
    bestWinRate: { low, high },
    lastWinRate: { low, high },
    bestGain: { low, high },
    lastGain: { low, high },
  },
  ...{ pBest: { best: first, last: first }, group: 'a' },
});
const row = (model: string, more: Partial<LeaderboardRow> = {}): LeaderboardRow => ({
  ...{ rank: 1, unranked: null, model, kind: 'real', isolation: 'container', bestAup: 0.82, lastAup: 0.5 },
  ...{ winRate: { best: 0.82, last: 0.7 }, gain: { best: 0.61, last: 0.5 } },
  curve: {
    best: [
      { k: 1, gain: 0.61, improved: 0.7 },
      { k: 2, gain: 0.7, improved: 0.9 },
    ],
    last: [],
  },
  intervals: uncertainty(0.74, 0.88, 0.7),
  ...{ profile: null, improvedTasks: 3, missingTasks: 0, notRunTasks: 0, averageRank: 1.25 },
  ...{ attempts: 12, ended: 12, infraErrors: 0, configErrors: 0, cancelled: 0, refused: 0, suspect: 0, costUsd: '6' },
  ...{ costPerRunUsd: '0.5', inputTokens: 1, outputTokens: 1 },
  ...{ withSuspects: null, flags: {}, costKind: 'charged', unknownCosts: 0 },
  scores: Object.fromEntries(TASKS.map((task) => [task, score(1.44017)])),
  ...more,
});
const board = (rows: LeaderboardRow[], more: Partial<Leaderboard['comparison']> = {}): Leaderboard => ({
  comparison: {
    ...{ models: rows.map(({ model }) => model), tasks: TASKS, k: null, T: 0.5, mode: 'strict' },
    ...{
      metric: 'best-attempt',
      order: 'win-rate',
      separation: { pairs: 1, resolved: 0 },
      priceList: null,
      prices: [],
      include: [],
      sample: false,
      profile: 'default',
      otherProfiles: [],
      ...{ batchId: null, batchName: null, newest: false },
    },
    saved: null,
    ...more,
  },
  tasks: TASKS.map((task) => ({
    ...{ task, name: task, contract: 1, primary: 'Score', direction: 'maximize', baseline: 1, compared: true },
    ...{ standardError: 0, target: 2, ranking: null },
  })),
  baseline: { bestAup: 0.5, lastAup: 0.5, averageRank: 2, profile: { best: [], last: [] } },
  rows,
});
const shown = (of: Leaderboard, width: number) =>
  renderLeaderboard(of, terminalForm({ colors: pc.createColors(false), width, interactive: true }));
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));
const two = board([row('gpt-4o'), row('scripted:clumsy', { rank: null, unranked: 'kind', kind: 'scripted' })]);

describe('the leaderboard on a terminal', () => {
  it('has tasks as columns where they fit, and in tables below where not', () => {
    const wide = shown(two, 220);
    expect(wide).toMatch(/model +win rate \[95 %\] +group +P\(best\) +battleOfSexes ↑ +imageC/);
    const middle = shown(two, 170);
    expect(middle).toMatch(/model +win rate \[95 %\] +group +P\(best\) +improved +gain \[95 %\] +AUP/);
    const narrow = shown(two, 80);
    expect(narrow).not.toMatch(/win rate.*battleOfSexes/);
    expect(narrow).toMatch(/^model +battleOfSexes ↑ +imageClassificationCifar10 ↑$/m);
    expect(narrow).toMatch(/^model +languageModelingFineWeb ↑$/m);
  });

  it('says first whose runs these are', () => {
    const of = (more: object, width = 80): string => {
      const { comparison, ...rest } = two;
      return shown({ ...rest, comparison: { ...comparison, ...more } }, width);
    };
    expect(of({})).toMatch(/^All batches\.\n\nLeaderboard by /);
    expect(of({ batchId: 'b-1' })).toMatch(/^Batch b-1\.\n\nLeaderboard by /);
    expect(of({ batchId: 'b-1', batchName: 'spring', newest: true })).toMatch(
      /^Batch spring, the newest with a run that counts; --batch all: every one\.\n\nLeaderboard by /,
    );
  });

  it('names the columns that a narrow terminal has no room for; a pipe has room for all', () => {
    expect(shown(two, 60)).toMatch(/^Left out on this narrow terminal: .*AUP/m);
    expect(shown(two, 220)).not.toContain('Left out');
    const piped = terminalForm({ colors: pc.createColors(false), width: 60, interactive: false });
    const text = renderLeaderboard(two, piped);
    expect(text).not.toContain('Left out');
    expect(text).toMatch(/model +win rate.* AUP .*cost/);
  });

  it.each([60, 72, 80, 100, 120, 160, 200])('is no wider than %i columns', (width) => {
    expect(widest(shown(two, width))).toBeLessThanOrEqual(width);
  });

  it('shows the interval beside each figure, the group, the cost of a run, and flags', () => {
    const odd = row('model-x', { isolation: 'none', suspect: 2, kind: 'replay' });
    const lines = shown(board([row('gpt-4o'), odd]), 130).split('\n');
    const [first, second] = ['gpt-4o', 'model-x'].map((model) => lines.find((line) => line.includes(model)));
    expect(first).toMatch(/0\.82 \[0\.74, 0\.88\] +a +70 % +3\/3 +0\.61 \[0\.74, 0\.88\] +12\/12 +\$0\.50 +\$6\.00$/);
    expect(second).toMatch(/suspect 2, local, replay$/);
    expect(shown(board([row('a', { intervals: null })]), 120)).not.toContain('[');
  });

  it('shows what the AUP would be with suspects, whom which rules flagged, and costs that others recorded', () => {
    const sly = row('sly', {
      ...{ withSuspects: { bestAup: 0.91, lastAup: 0.6 }, suspect: 40, flags: { self_reported: 13, beyond_bounds: 1 } },
      ...{ costUsd: '12.5', costPerRunUsd: '1.25', costKind: 'recorded' },
    });
    const both = row('both', {
      withSuspects: { bestAup: 0.8, lastAup: 0.5 },
    });
    const text = shown(board([sly, both]), 160);
    expect(text).toMatch(/win rate \[95 %\] +AUP with suspects +group +P\(best\)/);
    expect(text).toMatch(
      /sly +0\.82 \[0\.74, 0\.88\] +0\.91 .*\$1\.25 recorded +self_reported ×13, beyond_bounds ×1$/m,
    );
    expect(text).toMatch(/both .* \$0\.50$/m);
    const listed = shown(board([{ ...sly, costPerRunUsd: '0.8', costKind: 'list' }], { priceList: 'mlgym' }), 160);
    expect(listed).toMatch(/sly .*\$0\.80 list/);
    expect(listed).toContain('at the prices of the list mlgym');
    expect(shown(two, 120)).not.toMatch(/suspects|recorded/i);
  });

  it('shows no cost where none is known, and a part of the cost as the least', () => {
    const unknown = row('unknown', { costUsd: null, costPerRunUsd: null, unknownCosts: 4 });
    const partly = row('partly', { costUsd: '4', costPerRunUsd: '4', costKind: 'recorded', unknownCosts: 1 });
    const text = shown(board([unknown, partly]), 160);
    expect(text).toMatch(/unknown .* – +–$/m);
    expect(text).toMatch(/partly .* \$4\.00 recorded +≥ \$4\.00 recorded$/m);
    expect(text).not.toContain('$0');
  });

  it('states the days of the prices that runs were charged by, once for models that share them', () => {
    const checked = { from: '2026-05-01', checked: '2026-11-20' };
    const prices = [
      { model: 'a', ...checked },
      { model: 'b', ...checked },
      { model: 'c', from: '2025-08-07', checked: null },
      { model: 'recorded', from: '2024-01-01', checked: null },
    ];
    const rows = [row('a'), row('b'), row('c'), row('recorded', { costKind: 'recorded' })];
    expect(shown(board(rows, { prices }), 160)).toContain(
      'Prices: of 2026-05-01, checked 2026-11-20 (a, b); of 2025-08-07, never checked (c).',
    );
    expect(shown(two, 120)).not.toContain('Prices:');
  });

  it('tells of runs of another budget that it omits, and of which budget it is', () => {
    const left = { otherProfiles: [{ profile: 'cpu', runs: 12 }] };
    const told = 'Omitted: 12 runs under the profile cpu (--profile cpu).';
    expect(shown(board([row('a')], left), 120)).toContain(told);
    expect(shown(board([], left), 120)).toMatch(/^No runs to rank yet/);
    expect(shown(board([], left), 120)).toContain(told);
    expect(shown(board([row('a')], { profile: 'cpu' }), 160)).toContain('Under the profile cpu');
    expect(shown(two, 120)).not.toMatch(/profile cpu/);
  });

  it('tells suspect scores that do not count from none', () => {
    const sly = row('sly', { scores: { battleOfSexes: score(null, { suspect: 2 }) } });
    const honest = row('honest', { scores: { battleOfSexes: score(null) } });
    const lines = shown(board([sly, honest]), 80)
      .split('\n')
      .slice(6);
    expect(lines.find((line) => line.startsWith('sly'))).toMatch(/^sly +suspect /);
    expect(lines.find((line) => line.startsWith('honest'))).toMatch(/^honest +– /);
  });

  it('tells what was not run from what has no score', () => {
    const scores = {
      battleOfSexes: score(null, { attempts: 2, ended: 2, counted: 0, infraErrors: 2, bestRatio: 2 }),
      imageClassificationCifar10: score(null),
      languageModelingFineWeb: score(null, { attempts: 2, ended: 1, counted: 0 }),
    };
    const text = shown(
      board([row('a', { scores, improvedTasks: 0, missingTasks: 1, notRunTasks: 2, infraErrors: 2 })]),
      240,
    );
    expect(text).toMatch(/70 % +not run +– +running +0\/3 \(1 missing, 2 not run\)/);
    expect(text).toContain('12/12 (2 unscored)');
    expect(shown(board([row('a', { infraErrors: 1, refused: 3 })]), 240)).toContain('12/12 (1 unscored, 3 refused)');
  });

  it('counts improved tasks of all compared ones, whether AUP has a ratio of their scores or not', () => {
    const below = score(-0.003, { bestStatus: 'infeasible', bestRatio: null });
    const scores = Object.fromEntries(TASKS.map((task) => [task, below]));
    expect(shown(board([row('a', { scores, improvedTasks: 3 })]), 240)).toMatch(/ 3\/3 /);
  });

  it('says what a saved comparison leaves out, and what came since', () => {
    const saved = {
      ...{ name: 'spring', createdAt: '2026-03-01T00:00:00.000Z', otherModels: ['new-model'] },
      newRuns: [{ model: 'gpt-4o', task: 'battleOfSexes', runs: 3 }],
      otherContracts: [{ task: 'battleOfSexes', contract: 2, runs: 1 }],
      changedBaselines: [
        { task: 'battleOfSexes', saved: 1, now: 1.25 },
        { task: 'blotto', saved: null, now: 0.5 },
      ],
    };
    const text = shown(board([row('gpt-4o')], { saved }), 400);
    expect(text).toContain('comparison spring');
    expect(text).toContain('Not in it, but with runs on its tasks: new-model.');
    expect(text).toContain('of another contract: 1 run of battleOfSexes (contract 2).');
    expect(text).toContain('which have changed since: battleOfSexes 1.25 (saved: 1), blotto 0.5 (saved: none).');
    expect(text).toContain('Since then 3 runs of its models ended (gpt-4o): all count.');
    expect(shown(board([row('gpt-4o')], { saved, k: 4 }), 400)).toContain(
      'only the first 4 of each model and task count',
    );
  });

  it('says that spoilers never rank, not how to rank them', () => {
    const spoiler = row('scripted:spoiler', { rank: null, unranked: 'spoiler', kind: 'scripted' });
    const text = shown(board([row('a'), spoiler], { include: ['scripted'] }), 120);
    expect(text).toContain('Never ranked (–): scripted:spoiler');
    expect(text).not.toContain('--include scripted');
  });
});

describe('each figure', () => {
  const meanings = (of: Leaderboard) => shown(of, 400);

  it('says in a sentence what it means, that which orders the rows first', () => {
    const text = meanings(two);
    expect(text).toMatch(
      /^Ordered by win rate, over 3 tasks: the chance that an attempt of the model beats an attempt of another model/m,
    );
    expect(text).toMatch(/^gain: the mean progress of an attempt from the baseline/m);
    expect(text).toMatch(/^avg rank: the mean position/m);
    expect(text).toMatch(/^AUP: the area under the performance profile.*T = 0\.5 \(from the data/m);
    expect(text).toMatch(/P\(best\): how often the row is first by win rate/);
    expect(text).toContain(
      'group: models with the same letter are not significantly different by win rate; 0 of 1 pair resolved.',
    );
    const byRank = meanings(board([row('a')], { order: 'rank', mode: 'compat' }));
    expect(byRank).toMatch(/# +model +AUP +group +P\(best\)/);
    expect(byRank).toMatch(/^Ordered by avg rank.*\n(?:.*\n)*.*P\(best\): how often the row is first by avg rank/m);
  });

  it('of k attempts stands in a table of its own', () => {
    expect(shown(two, 120)).toMatch(/Of k attempts: .*\n+model +k = 1 +k = 2\ngpt-4o +0\.61, 70 % +0\.70, 90 %/);
    const once = row('a', { curve: { best: [{ k: 1, gain: 0.5, improved: 1 }], last: [] } });
    expect(shown(board([once]), 120)).not.toContain('Of k attempts');
  });

  it('tells tasks without a target, and why a task is ranked by different metrics', () => {
    const of = board([row('a')]);
    const [one, ...others] = of.tasks;
    const ranking = 'by Decisions; MLGym by Time';
    const text = meanings({ ...of, tasks: [{ ...one!, target: null, ranking }, ...others] });
    expect(text).toContain('No target, hence no gain: battleOfSexes.');
    expect(text).toContain('baseline 1; ranked by Decisions; MLGym by Time');
  });
});

describe('the leaderboard as CSV', () => {
  it('has a row per model, unrounded, and empty fields for what there is none of', () => {
    const [head, first, second, ...rest] = leaderboardCsv(
      board([row('a, "b"'), row('c', { rank: null, intervals: null, scores: { battleOfSexes: score(null) } })]),
    ).split('\n');
    expect(head?.split(',').slice(0, 8)).toEqual([
      ...['rank', 'model', 'kind', 'isolation', 'unranked', 'bestWinRate', 'bestWinRate low', 'bestWinRate high'],
    ]);
    expect(first).toMatch(/^1,"a, ""b""",real,container,,0\.82,0\.74,0\.88,0\.7,.*,a,0\.7,0\.7,.*1\.44017$/);
    expect(second).toMatch(/^,c,real,container,,0\.82,,,0\.7,.*,,,,,,$/);
    expect(rest).toEqual(['']);
  });
});

it('the leaderboard as Markdown has all columns in one table, and names cannot leave their cells', () => {
  const hostile = row('<b>a|b*');
  const text = renderLeaderboard(board([row('gpt-4o'), hostile]), markdownForm);
  const [head, sides, ...rows] = text.split('\n').filter((line) => line.startsWith('| '));
  expect(head).toMatch(/^\| \\# \| model \| win rate .*languageModelingFineWeb ↑ best \| last .*\| cost \|$/);
  const cells = (line = '') => line.match(/(?<!\\)\|/g)!.length;
  expect(rows[1]).toContain('\\<b\\>a\\|b\\*');
  expect([sides, rows[0], rows[1]].map(cells)).toEqual([head, head, head].map(cells));
  expect(text).toMatch(/^All batches\.\n\n\*\*Leaderboard by win rate/);
  expect(text).toMatch(/^- Ordered by win rate, over 3 tasks/m);
});
