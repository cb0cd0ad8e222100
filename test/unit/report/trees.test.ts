import { describe, expect, test } from 'vitest';
import type { ReportTree } from '../../../domain/views/report.js';
import { writeReport } from '../../../report/index.js';
import { data, row, run } from './fixtures.js';

const tree = (more: Partial<ReportTree> = {}): ReportTree => ({
  ...{
    runId: 'r-one',
    policy: 'greedy',
    stopped: 'cost',
    selectedNode: 7,
    selectedScore: 0.75,
    finalScore: 0.7,
    waves: 4,
  },
  limits: { nodes: 30, validations: 30, costUsd: '5', tokens: 0, seconds: 0 },
  charged: { nodes: 12, validations: 9, costUsd: '4.98', tokens: 123_456, seconds: 80.5 },
  came: { scored: 8, failed: 3, lost: 1, open: 0 },
  ...more,
});

describe('search trees in a report', () => {
  test('have a row each, with their nodes, the chosen one and what all of them cost', () => {
    const report = data([row('one')], [run('one')], { trees: [tree()] });
    const text = writeReport.md(report);
    expect(text).toContain('## Search trees');
    expect(text).toContain(
      '| r-one | one | t | greedy | 12 of 30 | 8 | 3 | 1 | node 7 | 0.75 | 0.7 | $4.98 | 123,456 | its dollars are used up |',
    );
    expect(writeReport.html(report)).toContain('<section id="trees"');
  });

  test('that are not over, or came to nothing, say so', () => {
    const none = { stopped: null, selectedNode: null, selectedScore: null, finalScore: null };
    expect(writeReport.md(data([row('one')], [run('one')], { trees: [tree(none)] }))).toContain(
      '| – | – | – | $4.98 |',
    );
  });

  test('are left out where no run played one, and counted beyond what a page shows', () => {
    expect(writeReport.html(data([row('one')], [run('one')]))).not.toContain('id="trees"');
    const many = Array.from({ length: 503 }, () => tree());
    expect(writeReport.html(data([row('one')], [run('one')], { trees: many }))).toContain('Not shown: 3 trees.');
  });
});
