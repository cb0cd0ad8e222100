import pc from 'picocolors';
import { expect, it } from 'vitest';
import { renderTree } from '../../../cli/render/tree.js';
import type { TreeDocument, TreeNodeDocument } from '../../../domain/views/tree.js';

const node = (index: number, more: Partial<TreeNodeDocument> = {}): TreeNodeDocument => ({
  ...{
    node: index,
    runId: `r-${index}`,
    wave: 1,
    operator: 'draft',
    parent: null,
    secondParent: null,
    status: 'scored',
  },
  ...{
    score: 0.5 + index / 10,
    steps: 9,
    runStatus: 'ended',
    endReason: 'submit',
    reservedUsd: '0.2',
    spentUsd: '0.08',
  },
  ...{ spentTokens: 100, spentSeconds: 1 },
  ...more,
});
const tree = (more: Partial<TreeDocument> = {}): TreeDocument => ({
  ...{ runId: 'r-tree', policy: 'evolution', primary: 'accuracy', direction: 'maximize', status: 'finishing' },
  ...{ stopped: 'nodes', selectedNode: 2, finalScore: null },
  limits: { nodes: 30, validations: 30, costUsd: '5', tokens: 0, seconds: 0 },
  charged: { nodes: 5, validations: 4, costUsd: '1.2345', tokens: 1200, seconds: 99.6 },
  nodes: [
    node(0),
    node(1, { status: 'failed', score: null }),
    node(2, { operator: 'improve', parent: 0 }),
    node(3, { operator: 'debug', parent: 1, status: 'lost', score: null, endReason: 'infra_error', steps: 0 }),
    node(4, {
      operator: 'crossover',
      parent: 2,
      secondParent: 0,
      status: 'open',
      score: null,
      endReason: null,
      spentUsd: null,
    }),
  ],
  ...more,
});
const lines = (one: TreeDocument): string[] => renderTree(one, pc.createColors(false)).split('\n');

it('a tree stands with its limits, each node below the one that it goes on from', () => {
  const shown = lines(tree());
  const said = shown.map((line) => line.trim().replaceAll(/ {2,}/g, ' | '));
  expect(said).toContain('status | finishing: it has all its nodes');
  expect(said).toContain('cost | $1.23 of $5.00');
  expect(said).toContain('selected node | node 2');
  expect(said.slice(-5)).toEqual([
    '0 | draft | scored | 0.5 | 9 | $0.08 | r-0',
    '2 | improve | scored | 0.7 | 9 | $0.08 | r-2 | ← selected',
    '4 | crossover with 0 | open | – | 9 | – | r-4',
    '1 | draft | failed | – | 9 | $0.08 | r-1',
    '3 | debug | lost: infra_error | – | 0 | $0.08 | r-3',
  ]);
  expect(shown.slice(-5).map((line) => line.search(/\d/))).toEqual([0, 2, 4, 0, 2]);
});

it('a tree may have no nodes yet', () => {
  expect(lines(tree({ nodes: [], stopped: null, selectedNode: null })).at(-1)).toMatch(/^final score/);
});
