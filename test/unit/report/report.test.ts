import { describe, expect, test } from 'vitest';
import { writeReport } from '../../../report/index.js';
import { stepLine } from '../../../report/profiles-chart.js';
import { spendingOf } from '../../../report/spending.js';
import { board, cell, data, row, run } from './fixtures.js';

const HOSTILE = `<script>alert(1)</script>"'&{{x}}|\`*{a|b}`;

describe('a report as HTML', () => {
  test('has its sections, and the runs behind each score', () => {
    const text = writeReport.html(data([row('one'), row('two', { rank: 2 })], [run('one'), run('two')]));
    for (const id of ['leaderboard', 'areas', 'profiles', 'value', 'tasks', 'ends', 'steps', 'spending', 'runs'])
      expect(text, id).toContain(`<section id="${id}"`);
    expect(text).toContain('r-one');
    expect(text).toContain('0.900 [0.70, 1.00]');
    expect(text).toContain('bench 9.9.9');
    expect(text.match(/<svg role="img"/g)!.length).toBe(text.match(/<desc /g)!.length);
  });

  test('asks for nothing beyond itself', () => {
    const text = writeReport.html(data([row('one')], [run('one')]));
    expect(text.replaceAll(/xmlns(:\w+)?="[^"]*"/g, '')).not.toMatch(
      /https?:|\burl\((?!#)|@import|\bsrc=|<script|<link/,
    );
    expect(text).toContain(`default-src 'none'`);
  });

  test('has the first runs of a cell, those that give its scores, and counts the others; as Markdown and CSV it has all', () => {
    const runs = Array.from({ length: 50 }, (_, i) => run('alpha', { runId: `r-${i}`, attempt: i + 1 }));
    const many = data([row('alpha', { scores: { t: cell(3, 'r-44') } })], runs);
    const told = (text: string) => runs.filter(({ runId }) => new RegExp(`${runId}\\b`).test(text)).length;
    expect(told(writeReport.html(many))).toBe(21);
    expect(writeReport.html(many)).toContain('And 29 more runs:');
    expect(told(writeReport.md(many))).toBe(50);
    expect(told(writeReport.csv(many))).toBe(50);
  });

  test('shows what the AUP would be with suspects, the rules and how many runs they flagged, and recorded costs as such', () => {
    const sly = {
      withSuspects: { bestAup: 0.987, lastAup: 0.876 },
      flags: { self_reported: 13 },
      recordedCostUsd: '1',
    };
    const text = writeReport.md(data([row('sly', sly)], [run('sly', { origin: 'mlgym' })]));
    expect(text).toMatch(/\| AUP best with suspects \|/);
    expect(text).toMatch(/\| sly .* 0\.987 \|.* \$0\.50 recorded \| self\\_reported ×13 \|/);
    expect(writeReport.md(data([row('one')], [run('one')]))).not.toMatch(/with suspects|recorded \|/);
  });

  test('shows names of models and tasks as text, whatever they are', () => {
    const rows = [row(HOSTILE, { scores: { [HOSTILE]: cell(2, 'r-x') } })];
    const text = writeReport.html({
      ...data(rows, [run(HOSTILE, { task: HOSTILE, exitStatus: HOSTILE, exitLabels: [HOSTILE] })], {
        subject: HOSTILE,
      }),
      board: { ...board(rows), tasks: [{ ...board(rows).tasks[0]!, task: HOSTILE, name: HOSTILE, primary: HOSTILE }] },
    });
    expect(text).not.toContain('<script');
    expect(text).not.toMatch(/="[^"]*[<>][^"]*"/);
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toContain('undefined');
  });

  test('lists apart what does not rank, with the reason, and suspect runs', () => {
    const apart = row('scripted:slow', {
      unranked: 'kind',
      kind: 'scripted',
      rank: null,
      bestAup: null,
      lastAup: null,
    });
    const runs = [run('one', { suspect: 1, best: null, bestOfAll: 7.25 }), run('scripted:slow', { kind: 'scripted' })];
    const text = writeReport.html(data([row('one'), apart], runs));
    const [, section = ''] = text.split('<section id="apart"');
    expect(section).toContain('scripted:slow');
    expect(section).toContain('not a model');
    expect(section).toContain('1 of 2 evaluations');
    // What does not count is shown nevertheless.
    expect(section).toContain('>7.25<');
    // A flag makes scores suspect that lie within the bounds.
    expect(section).not.toContain('>out of bounds<');
  });

  test('tells suspect scores that do not count from none', () => {
    const none = row('none', { scores: { t: cell(null, '') } });
    const sly = row('sly', { rank: 2, scores: { t: cell(null, '', { suspect: 2 }) } });
    expect(writeReport.md(data([none, sly], []))).toMatch(/\| t ↑ score \| 1 \| 5 \| no score \| suspect \|/);
  });

  test('without a ranked model says so, and has no profiles', () => {
    const rows = [row('m', { unranked: 'isolation', isolation: 'none', rank: null, profile: null, intervals: null })];
    const text = writeReport.html({
      ...data(rows, [run('m', { isolation: 'none' })]),
      board: { ...board(rows, { T: null }), baseline: null },
    });
    expect(text).toContain('No model is ranked');
    expect(text).not.toContain('<section id="profiles"');
    expect(text).toContain('<section id="runs"');
  });
});

test('a report as Markdown has the tables, and names cannot leave their cells', () => {
  const text = writeReport.md(data([row(HOSTILE)], [run(HOSTILE)]));
  expect(text).toContain('## Leaderboard');
  expect(text).not.toMatch(/(^|[^\\])<script/);
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  const cells = (line: string) => line.match(/(?<!\\)\|/g)!.length;
  for (const [i, line] of lines.entries())
    if (i > 0 && lines[i]!.includes('---')) expect(cells(line)).toBe(cells(lines[i - 1]!));
});

test('a report as CSV has a row per model and task, quoted', () => {
  const text = writeReport.csv(data([row('a,"b"'), row('two')], [run('two')]));
  const lines = text.trim().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^task,primary,direction,baseline,standardError,target,model,kind/);
  expect(lines[1]).toContain('"a,""b"""');
  expect(lines[2]).toMatch(/,r-two$/);
  const [names, values] = [lines[0]!, lines[2]!].map((line) => line.split(','));
  const intervals = ['bestAupLow', 'bestAupHigh', 'lastAupLow', 'lastAupHigh'];
  expect(intervals.map((name) => values![names!.indexOf(name)])).toEqual(['0.7', '1', '0.6', '0.95']);
});

test('the line of a profile runs from the left to the right end', () => {
  expect(stepLine([[0, 0.5]], 1)).toEqual([
    [0, 0.5],
    [1, 0.5],
  ]);
  expect(
    stepLine(
      [
        [0.2, 0.5],
        [0.4, 1],
      ],
      2,
    ),
  ).toEqual([
    [0, 0],
    [0.2, 0.5],
    [0.4, 1],
    [2, 1],
  ]);
  expect(stepLine([], 1)).toEqual([
    [0, 0],
    [1, 0],
  ]);
});

test('what another harness recorded stands back behind list prices, and the report says so', () => {
  const listed = row('m', { recordedCostUsd: '9', listCostUsd: '3', listCostPerRunUsd: '1.5' });
  const runs = [run('m', { origin: 'mlgym', costUsd: '9' })];
  expect(spendingOf(listed, runs)).toMatchObject({ totalUsd: 3, perRunUsd: 1.5, prices: 'list' });
  const text = writeReport.md({ ...data([listed], runs), board: board([listed], { priceList: 'mlgym' }) });
  expect(text).toContain('at the prices of the list mlgym');
  expect(text).toMatch(/\| m .*\$1\.50 list \|/);
});

test('each figure is told in a sentence, that which orders the rows first; curves have a table', () => {
  const two = { curve: { best: [1, 2].map((k) => ({ k, gain: k / 4, improved: k / 2 })), last: [] } };
  const text = writeReport.md(data([row('one', two), row('two')], []));
  expect(text).toContain('**Ranked by win rate of the best attempts**');
  expect(text).toMatch(/Ordered by win rate: the chance.* mean gain: .* AUP: .* average rank: .* 0 of 1 pair resolved/);
  expect(text).toMatch(/\| one \| 0\.250 · 50 % \| 0\.500 · 100 % \|/);
});

test('money spent counts repeated runs, and a run of unknown cost is no free one', () => {
  const runs = [
    run('m', { costUsd: '1' }),
    run('m', { runId: 'r-2', costUsd: '3', superseded: true, counted: false, endReason: 'infra_error' }),
    run('m', { runId: 'r-3', costUsd: null, origin: 'mlgym' }),
    run('other', { costUsd: '100' }),
  ];
  expect(spendingOf(row('m'), runs)).toMatchObject({ totalUsd: 4, perRunUsd: 4, prices: 'recorded' });
  expect(spendingOf(row('n'), runs)).toMatchObject({ totalUsd: null, perRunUsd: null, stepsPerRun: null });
});
