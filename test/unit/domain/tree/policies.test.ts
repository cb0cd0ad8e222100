import { describe, expect, it } from 'vitest';
import { nextWave } from '../../../../domain/tree/next-wave.js';
import { SEARCH_POLICIES, searchSchema, type SearchPolicy, type SearchSpec } from '../../../../domain/tree/spec.js';
import { type TreeNode, Tree } from '../../../../domain/tree/tree.js';

const spec = (policy: SearchPolicy, options: object = {}): SearchSpec => searchSchema.parse({ policy, ...options });

/** `s0.5`: a draft that scores 0.5 · `f<2`: goes on from node 2 and failed · `x`: lost. */
const tree = (...words: string[]): TreeNode[] =>
  words.map((word, index) => {
    const [, status, score, parent] = /^([sfx])([-\d.]*)(?:<(\d+))?$/.exec(word)!;
    return {
      index,
      operator: parent === undefined ? 'draft' : 'improve',
      parent: parent === undefined ? null : Number(parent),
      secondParent: null,
      status: status === 's' ? 'scored' : status === 'f' ? 'failed' : 'lost',
      value: status === 's' ? Number(score) : null,
    };
  });
const wave = (of: SearchSpec, nodes: TreeNode[], room = 100, seed = 1, left = room): string[] =>
  nextWave(of, nodes, seed, { room, left }).map(({ operator, parent, secondParent, more = [] }) =>
    [operator, ...[parent, secondParent, ...more].filter((one) => one !== null)].join(' '),
  );
const times = (count: number, word: string): string[] => Array.from({ length: count }, () => word);

describe('every policy', () => {
  it.each(SEARCH_POLICIES)(
    '%s gives the same tree for the same seed, and opens no more than there is room for',
    (policy) => {
      const grown = (seed: number): TreeNode[] => {
        const nodes: TreeNode[] = [];
        for (;;) {
          const opened = nextWave(spec(policy), nodes, seed, { room: 23 - nodes.length, left: 23 - nodes.length });
          if (opened.length === 0) return nodes;
          for (const choice of opened) {
            const failed = (nodes.length * 7 + seed) % 3 === 0;
            const value = failed ? null : ((nodes.length * 37 + seed * 11) % 100) / 100;
            nodes.push({ ...choice, index: nodes.length, status: failed ? 'failed' : 'scored', value });
          }
        }
      };
      expect(grown(5)).toEqual(grown(5));
      expect(grown(5)).toHaveLength(23);
      for (const { index, parent, secondParent } of grown(5)) {
        expect(parent ?? -1).toBeLessThan(index);
        expect(secondParent ?? -1).toBeLessThan(index);
      }
    },
  );
  it.each(SEARCH_POLICIES)('%s begins with drafts, and gives up when nothing comes of any node', (policy) => {
    expect(new Set(wave(spec(policy), []))).toEqual(new Set(['draft']));
    expect(wave(spec(policy), tree(...times(8, 'x')))).toEqual([]);
  });
  it.each(SEARCH_POLICIES)('%s never goes on from a lost node', (policy) => {
    const nodes = tree('s0.1', 'x', 's0.2', 's0.3', 's0.1', 's0.2', 's0.4', 'x<3', 'x<6');
    for (let seed = 1; seed < 20; seed += 1)
      for (const { parent, secondParent } of nextWave(spec(policy), nodes, seed, { room: 50, left: 50 }))
        for (const one of [parent, secondParent]) if (one !== null) expect(nodes[one]?.status).not.toBe('lost');
  });
});

describe('linear', () => {
  it('goes on from its last node, better or not', () => {
    expect(wave(spec('linear'), tree('s0.5', 's0.2<0'))).toEqual(['improve 1']);
    expect(wave(spec('linear'), tree('s0.5', 'f<0'))).toEqual(['debug 1']);
    expect(wave(spec('linear'), tree('s0.5', 'x<0'))).toEqual(['improve 0']);
  });
});

describe('greedy', () => {
  const three = spec('greedy', { drafts: 3 });
  it('makes its drafts first, anew those that came to nothing', () =>
    expect(wave(three, tree('s0.1', 'x', 'f'))).toEqual(['draft']));
  it('improves the best; of equal ones the earliest', () => {
    expect(wave(three, tree('s0.1', 's0.4', 's0.4'))).toEqual(['improve 1']);
    expect(wave(three, tree('s0.1', 's0.4', 's0.4', 's0.5<0'))).toEqual(['improve 3']);
  });
  it('repairs the newest failure of the best, no deeper than it may', () => {
    expect(wave(three, tree('s0.1', 's0.4', 's0.2', 'f<1'))).toEqual(['debug 3']);
    expect(wave(three, tree('s0.1', 's0.4', 's0.2', 'f<1', 'f<3', 'f<4'))).toEqual(['debug 5']);
    expect(wave(three, tree('s0.1', 's0.4', 's0.2', 'f<1', 'f<3', 'f<4', 'f<5'))).toEqual(['improve 1']);
    expect(wave(spec('greedy', { drafts: 3, debugDepth: 0 }), tree('s0.1', 's0.4', 's0.2', 'f<1'))).toEqual([
      'improve 1',
    ]);
  });
  it('repairs a failed draft where nothing has a score', () =>
    expect(wave(three, tree('f', 'f', 'f'))).toEqual(['debug 2']));
  it('improves several at once, if it may', () =>
    expect(wave(spec('greedy', { drafts: 3, width: 2 }), tree('s0.1', 's0.4', 's0.2'))).toEqual([
      'improve 1',
      'improve 2',
    ]));
});

describe('mcts', () => {
  const two = spec('mcts', { children: 2, exploration: 0.25 });
  it('goes where the mean is best', () => expect(wave(two, tree('s0.1', 's0.9'))).toEqual(['improve 1']));
  it('leaves what was tried often for what was not', () => {
    const often = ['s0.9<1', 's0.9<1', 's0.9<2', 's0.9<2', 's0.9<3', 's0.9<3'];
    expect(wave(spec('mcts', { children: 2, exploration: 3 }), tree('s0.8', 's0.9', ...often))).toEqual(['improve 0']);
    expect(wave(spec('mcts', { children: 2, exploration: 0 }), tree('s0.8', 's0.9', ...often))).not.toEqual([
      'improve 0',
    ]);
  });
  it('counts failures as the worst, not as the best of a task where lower is better', () =>
    expect(wave(spec('mcts', { children: 2, debugDepth: 0 }), tree('s-0.5', 's-0.4', 'f<1', 'f<1', 's-0.5<0'))).toEqual(
      ['improve 0'],
    ));
  it('repairs a failed child first', () => expect(wave(two, tree('s0.1', 's0.9', 'f<1'))).toEqual(['debug 2']));
  it('spreads a wave', () => {
    const wide = spec('mcts', { children: 3, width: 3 });
    expect(new Set(wave(wide, tree('s0.5', 's0.5', 's0.5')))).toEqual(new Set(['improve 0', 'improve 1', 'improve 2']));
  });
});

describe('evolution', () => {
  const five = spec('evolution');
  const first = ['s0.1', 's0.5', 's0.4', 'f', 's0.3'];
  it('has generations, without crossover at first', () => {
    const second = wave(five, tree(...first));
    expect(second).toHaveLength(5);
    expect(second.every((word) => /^improve [0124]$/.test(word))).toBe(true);
  });
  it('crosses half of a later one, never a node with itself', () => {
    const nodes = tree(...first, ...times(5, 's0.4<1'));
    const all = Array.from({ length: 40 }, (_, seed) => wave(five, nodes, 5, seed)).flat();
    const crossed = all.filter((word) => word.startsWith('crossover'));
    expect(crossed.length / all.length).toBeCloseTo(0.5, 1);
    for (const word of crossed) expect(word.split(' ')[1]).not.toBe(word.split(' ')[2]);
  });
  it('draws the fitter more often', () => {
    const all = Array.from({ length: 60 }, (_, seed) =>
      wave(five, tree('s0.1', 's0.9', 's0.5', 's0.5', 's0.5'), 5, seed),
    ).flat();
    const drawn = (node: number): number => all.filter((word) => word === `improve ${node}`).length;
    expect(drawn(1)).toBeGreaterThan(drawn(2));
    expect(drawn(2)).toBeGreaterThan(drawn(0));
    expect(drawn(0)).toBeGreaterThan(0);
  });
});

describe('an ensemble', () => {
  const kept = spec('greedy', { ensemble: 3, nodes: 8 });
  const drafts = ['s0.1', 's0.5', 's0.4', 's0.2', 's0.3'];
  it('is the last node: the best of each draft, best first, however good the second of one draft is', () => {
    expect(wave(kept, tree(...drafts, 's0.6<1'), 2, 1, 2)).toEqual(['improve 5']);
    expect(wave(kept, tree(...drafts, 's0.6<1', 's0.55<1'), 1)).toEqual(['ensemble 5 2 4']);
  });
  it.each(['greedy', 'mcts', 'evolution'] as const)('%s leaves a place for it', (policy) => {
    const nodes: TreeNode[] = [];
    const of = spec(policy, { ensemble: 2, nodes: 13 });
    for (;;) {
      const left = 13 - nodes.length;
      const opened = nextWave(of, nodes, 3, { room: left, left });
      if (opened.length === 0) break;
      for (const choice of opened)
        nodes.push({ ...choice, index: nodes.length, status: 'scored', value: ((nodes.length * 37) % 100) / 100 });
    }
    expect(nodes).toHaveLength(13);
    expect(nodes.filter(({ operator }) => operator === 'ensemble').map(({ index }) => index)).toEqual([12]);
  });
  it('waits for all others to end, and is made once', () => {
    const nodes = tree(...drafts, 's0.6<1');
    const open: TreeNode = { ...nodes[5]!, index: 6, status: 'open', value: null };
    expect(nextWave(kept, [...nodes, open], 1, { room: 1, left: 1 })).toEqual([]);
    const made: TreeNode = { ...open, operator: 'ensemble', status: 'scored', value: 0.7 };
    expect(wave(kept, [...nodes, made], 1)).toEqual(['improve 6']);
  });
  it('leaves the last node to the policy when there are no two drafts to combine', () =>
    expect(wave(kept, tree('f', 'f', 'f', 's0.2', 'f', 's0.3<3', 's0.4<5'), 1)).toEqual(['improve 6']));
  it('ends a search whose policy has nothing left', () =>
    expect(
      wave(spec('mcts', { ensemble: 2, children: 1, debugDepth: 0 }), tree('s0.3', 'x', 's0.2', 'f<0', 'f<2')),
    ).toEqual(['ensemble 0 2']));
});

describe('a tree', () => {
  it('ranks by value, and knows what stands between the worst and the best', () => {
    const grown = new Tree(tree('s2', 's4', 's3<0', 'f<2'));
    expect(grown.best?.index).toBe(1);
    expect(grown.normalised(3)).toBe(0.5);
    expect(grown.below(grown.nodes[0]!).map(({ index }) => index)).toEqual([0, 2, 3]);
  });
});

describe('the search block', () => {
  const messages = (block: unknown): string[] =>
    searchSchema.safeParse(block).error?.issues.map(({ message }) => message) ?? [];
  it.each(['nodes', 'nodeSteps', 'validations', 'parallel'])('refuses %s: 0', (key) =>
    expect(messages({ policy: 'greedy', [key]: 0 })).toEqual(['at least 1']),
  );
  it('names the policies that there are', () =>
    expect(messages({ policy: 'genius' })).toEqual([
      expect.stringMatching(/^expected linear or greedy .* evolution$/),
    ]));
  it('refuses options of other policies', () => expect(messages({ policy: 'linear', drafts: 3 })).toHaveLength(1));
});
