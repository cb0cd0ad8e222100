import { STOP_WORDS } from '../domain/tree/stop-words.js';
import type { ReportRun, ReportTree } from '../domain/views/report.js';
import { count, NONE, plural, score, usd } from './numbers.js';
import type { ReportData } from './report-data.js';
import type { Section } from './section.js';
import { tableOf } from './table.js';

/** Trees that a page shows; the others are counted. */
const MOST = 500;

/** What the runs that played trees of forks opened, chose and spent. */
export function treesSection({ trees, runs, page }: Pick<ReportData, 'trees' | 'runs' | 'page'>): Section[] {
  if (trees.length === 0) return [];
  const byId = new Map(runs.map((run) => [run.runId, run]));
  const of = ({ runId }: ReportTree): ReportRun | undefined => byId.get(runId);
  const left = trees.length - MOST;
  const stoppedBy = ({ stopped }: ReportTree): string => (stopped === null ? 'running' : STOP_WORDS[stopped]);
  const table = tableOf<ReportTree>(
    'Trees of forks, each one attempt',
    [
      {
        title: 'run',
        value: ({ runId }) => runId,
        ...(page !== undefined && { link: ({ runId }: ReportTree) => `${page}#/runs/${runId}` }),
      },
      { title: 'model', value: (tree) => of(tree)?.model ?? NONE },
      { title: 'task', value: (tree) => of(tree)?.task ?? NONE },
      { title: 'policy', value: ({ policy }) => policy },
      { title: 'nodes', value: ({ charged, limits }) => `${charged.nodes} of ${limits.nodes}`, align: 'right' },
      { title: 'scored', value: ({ came }) => count(came.scored), align: 'right' },
      { title: 'failed', value: ({ came }) => count(came.failed), align: 'right' },
      { title: 'lost', value: ({ came }) => count(came.lost), align: 'right' },
      { title: 'selected', value: ({ selectedNode }) => (selectedNode === null ? NONE : `node ${selectedNode}`) },
      { title: 'on validation', value: ({ selectedScore }) => score(selectedScore), align: 'right' },
      { title: 'tested', value: ({ finalScore }) => score(finalScore), align: 'right' },
      { title: 'cost', value: ({ charged }) => usd(Number(charged.costUsd)), align: 'right' },
      { title: 'tokens', value: ({ charged }) => count(charged.tokens), align: 'right' },
      { title: 'stopped', value: stoppedBy },
    ],
    trees.slice(0, MOST),
  );
  return [
    {
      id: 'trees',
      title: 'Search trees',
      parts: [
        {
          kind: 'text',
          text:
            'A tree is represented by its best node on validation; only that node is tested. Cost and tokens include all nodes; a lost reply counts as its reservation.' +
            (left > 0 ? ` Not shown: ${plural(left, 'tree')}.` : ''),
        },
        { kind: 'table', table },
      ],
    },
  ];
}
