import type { Colors } from 'picocolors/types.js';
import { STOP_WORDS } from '../../domain/search/stop-words.js';
import type { SearchTreeDocument, SearchTreeNode } from '../../domain/views/search-tree.js';
import { formatCost, formatScore } from './format.js';
import { renderFields, renderTable } from './table.js';

/** The tree with its limits; each node stands below the one that it goes on from. */
export function renderSearchTree(tree: SearchTreeDocument, colors: Colors): string {
  const { limits, charged, chosen } = tree;
  const of = (used: string | number, limit: string | number | null): string =>
    limit === null || limit === 0 ? `${used}` : `${used} of ${limit}`;
  const fields: [string, string][] = [
    ['run', colors.bold(tree.runId)],
    ['policy', tree.policy],
    ['status', tree.stopped === null ? tree.status : `${tree.status}: ${STOP_WORDS[tree.stopped]}`],
    ['nodes', of(charged.nodes, limits.nodes)],
    ['validations', of(charged.validations, limits.validations)],
    ['cost', of(formatCost(charged.costUsd), limits.costUsd === null ? null : formatCost(limits.costUsd))],
    ['tokens', of(charged.tokens, limits.tokens)],
    ['seconds', of(Math.round(charged.seconds), limits.seconds)],
    ...(tree.asked.answers === 0
      ? []
      : [['asked', `${tree.asked.answers} answers, ${formatCost(tree.asked.costUsd)}`] satisfies [string, string]]),
    ['stands for', chosen === null ? '–' : `node ${chosen}`],
    ['final score', `${formatScore(tree.finalScore)} ${tree.primary} (${tree.direction})`],
  ];
  if (tree.nodes.length === 0) return renderFields(fields, colors);
  const table = renderTable(
    inOrder(tree.nodes),
    [
      { title: 'node', value: ({ node, depth }) => `${'  '.repeat(depth)}${node.node}` },
      {
        title: 'what',
        value: ({ node }) => (node.mate === null ? node.operator : `${node.operator} with ${node.mate}`),
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
        value: ({ node }) => (node.spentUsd === null ? '–' : formatCost(node.spentUsd)),
        align: 'right',
      },
      { title: 'run', value: ({ node }) => `${node.runId}${node.node === chosen ? '  ← chosen' : ''}` },
    ],
    colors,
  );
  return `${renderFields(fields, colors)}\n\n${table}`;
}

/** Depth first, in the order in which they were opened. */
function inOrder(
  nodes: readonly SearchTreeNode[],
  parent: number | null = null,
  depth = 0,
): { node: SearchTreeNode; depth: number }[] {
  return nodes
    .filter((node) => node.parent === parent)
    .flatMap((node) => [{ node, depth }, ...inOrder(nodes, node.node, depth + 1)]);
}
