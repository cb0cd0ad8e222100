import type { Colors } from 'picocolors/types.js';
import { inOrder } from '../../domain/tree/in-order.js';
import { STOP_WORDS } from '../../domain/tree/stop-words.js';
import type { TreeDocument } from '../../domain/views/tree.js';
import { formatScore, formatUsd } from '../../domain/text/format.js';
import { renderFields, renderTable } from './table.js';

export function renderTree(tree: TreeDocument, colors: Colors): string {
  const { limits, charged, selectedNode } = tree;
  const of = (used: string | number, limit: string | number | null): string =>
    limit === null || limit === 0 ? `${used}` : `${used} of ${limit}`;
  const fields: [string, string][] = [
    ['run', colors.bold(tree.runId)],
    ['policy', tree.policy],
    ['status', tree.stopped === null ? tree.status : `${tree.status}: ${STOP_WORDS[tree.stopped]}`],
    ['nodes', of(charged.nodes, limits.nodes)],
    ['validations', of(charged.validations, limits.validations)],
    ['cost', of(formatUsd(charged.costUsd), limits.costUsd === null ? null : formatUsd(limits.costUsd))],
    ['tokens', of(charged.tokens, limits.tokens)],
    ['seconds', of(Math.round(charged.seconds), limits.seconds)],
    ['selected node', selectedNode === null ? '–' : `node ${selectedNode}`],
    ['final score', `${formatScore(tree.finalScore)} ${tree.primary} (${tree.direction})`],
  ];
  if (tree.nodes.length === 0) return renderFields(fields, colors);
  const table = renderTable(
    inOrder(tree.nodes),
    [
      { title: 'node', value: ({ node, depth }) => `${'  '.repeat(depth)}${node.node}` },
      {
        title: 'what',
        value: ({ node }) =>
          node.secondParent === null ? node.operator : `${node.operator} with ${node.secondParent}`,
      },
      {
        title: 'status',
        value: ({ node: { status, endReason } }) =>
          status === 'lost' && endReason !== null ? `lost: ${endReason}` : status,
      },
      { title: 'score', value: ({ node }) => formatScore(node.score), align: 'right' },
      { title: 'steps', value: ({ node }) => String(node.steps), align: 'right' },
      {
        title: 'cost',
        value: ({ node }) => (node.spentUsd === null ? '–' : formatUsd(node.spentUsd)),
        align: 'right',
      },
      { title: 'run', value: ({ node }) => `${node.runId}${node.node === selectedNode ? '  ← selected' : ''}` },
    ],
    colors,
  );
  return `${renderFields(fields, colors)}\n\n${table}`;
}
