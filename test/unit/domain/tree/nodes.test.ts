import { describe, expect, it } from 'vitest';
import { newRunId, isRunId } from '../../../../domain/ids.js';
import { childNote } from '../../../../domain/tree/child-note.js';
import { draftNote } from '../../../../domain/tree/draft-note.js';
import { nodeRunId, nodesBatchId, nodeSeed } from '../../../../domain/tree/node-ids.js';
import { beginsNode, onForcedEnd, requestOf } from '../../../../domain/tree/node-rules.js';
import { type EndedNode, settledAs } from '../../../../domain/tree/settle.js';
import { task } from '../../../fixtures/rows.js';

const ok = { status: 'ok', primary: 3, suspect: false, submissionSha256: 'a' } as const;
const ended: EndedNode = { endReason: 'submit', steps: 2, evaluation: ok, parentSha256: 'b' };

describe('what came of a node', () => {
  it('is a value that is higher when it is better', () => {
    expect(settledAs(ended, 'maximize')).toEqual({ status: 'scored', value: 3 });
    expect(settledAs(ended, 'minimize')).toEqual({ status: 'scored', value: -3 });
  });
  it.each<[string, Partial<EndedNode>]>([
    ['nothing was evaluated', { evaluation: null }],
    ['it was rejected', { evaluation: { ...ok, status: 'rejected', primary: null } }],
    ['its score cannot be', { evaluation: { ...ok, suspect: true } }],
    ['it is its parent’s submission again', { parentSha256: 'a' }],
  ])('is a failure when %s', (_why, more) => {
    expect(settledAs({ ...ended, ...more }, 'maximize')).toEqual({ status: 'failed', value: null });
  });
  it.each<[string, Partial<EndedNode>]>([
    ['it took no step', { steps: 0 }],
    ['infrastructure ended it', { endReason: 'infra_error' }],
    ['the budget ended it', { endReason: 'budget' }],
    ['its evaluator failed', { evaluation: { ...ok, status: 'evaluator_error', primary: null } }],
  ])('is nothing when %s', (_why, more) => {
    expect(settledAs({ ...ended, ...more }, 'maximize')).toEqual({ status: 'lost', value: null });
  });
});

describe('ids and seeds of nodes', () => {
  it('follow from the tree, look like any others, and are all different', () => {
    const [tree, other] = [newRunId(), newRunId()];
    const ids = [0, 1, 2, 999].flatMap((node) => [nodeRunId(tree, node), nodeRunId(other, node)]);
    expect(ids.every(isRunId)).toBe(true);
    expect(new Set([...ids, tree, other]).size).toBe(10);
    expect(nodeRunId(tree, 1)).toBe(ids[2]);
    expect(nodesBatchId(tree).slice(2)).not.toBe(tree.slice(2));
    expect(nodeSeed(8, 0)).not.toBe(nodeSeed(7, 999) + 0);
    expect(Number.isSafeInteger(nodeSeed(Number.MAX_SAFE_INTEGER, 999))).toBe(true);
  });
});

describe('the run of a node', () => {
  const node = { node: true, forkedFrom: { runId: 'r-parent', step: 4 } };
  it('validates where it says submit, and only its own files count', () => {
    expect([requestOf(node, 'submit'), requestOf({}, 'submit'), requestOf(node, null)]).toEqual([
      'validate',
      'submit',
      null,
    ]);
    const best = task('t', 'maximize', { onForcedEnd: 'best' });
    expect([onForcedEnd({ ...node, task: best }), onForcedEnd({ task: best })]).toEqual(['current', 'best']);
  });
  it('begins with the step after those of its parent', () => {
    expect([4, 5, 6].map((step) => beginsNode(node, step))).toEqual([false, true, false]);
    expect(beginsNode({ forkedFrom: node.forkedFrom }, 5)).toBe(false);
    expect(beginsNode({ node: true }, 1)).toBe(false);
  });
  it('is told, if it is a draft, of its siblings, or which approach to take where none is known', () => {
    const note = { of: 5, steps: 7, metric: 'score' };
    const [first, third] = [1, 3].map((nth) =>
      draftNote({ ...note, nth, siblings: Array(nth - 1).fill({ score: null, open: true, thoughts: '' }) }),
    );
    expect(first).toMatch(/draft 1 of 5.*take number 1\./s);
    expect(third).toMatch(/Think of 3 different approaches.*take number 3\./s);
    const known = [
      { score: 0.5, open: false, thoughts: `long ${'x'.repeat(2000)} ends with\na forest` },
      { score: null, open: false, thoughts: 'a network' },
    ];
    const later = draftNote({ ...note, nth: 3, siblings: known });
    expect(later).toMatch(/Do not repeat.*\n- score 0\.5: ….*ends with a forest\n- no score: a network$/s);
    expect(later).not.toMatch(/take number/);
    expect(later.length).toBeLessThan(1200);
  });
  it('is told of its parent, and of the other one that it is crossed with, the end of whose work it sees', () => {
    const note = { steps: 7, metric: 'score', parent: 0.5, others: [] };
    expect(childNote({ ...note, operator: 'improve' })).toMatch(/scores score 0\.5 on validation.*7 steps/s);
    expect(childNote({ ...note, operator: 'debug', parent: null })).toMatch(/could not be scored/);
    const work = Array.from({ length: 500 }, (_, i) => ({ thought: `thought ${i}`, action: `do ${i}` }));
    const crossed = childNote({ ...note, operator: 'crossover', others: [{ score: 0.75, work }] });
    expect(crossed).toMatch(/scores score 0\.75/);
    expect(crossed).toMatch(/\$ do 499$/);
    expect(crossed.length).toBeLessThan(7000);
    const others = [0.75, 0.7, null].map((score) => ({ score, work }));
    const ensemble = childNote({ ...note, operator: 'ensemble', others });
    expect(ensemble).toMatch(/scores score 0\.5 on.*merge what they give.*score 0\.75\..*score 0\.7\..*scores none\./s);
    expect(ensemble.length).toBeLessThan(20_000);
  });
});
