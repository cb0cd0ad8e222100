import { type Choice, draft, improve } from '../tree.js';
import { drawn, missing, type Policy } from './policy.js';

/** Even the worst parent has a chance. */
const LEAST = 0.05;

/** Generations: children of the best nodes, drawn by fitness; crossovers from the third on. */
export const evolution: Policy<'evolution'> = ({ population, crossover, temperature }, tree, random) => {
  const first = missing(tree, population);
  if (first > 0) return Array.from({ length: first }, () => draft);
  const parents = tree.ranked.slice(0, population);
  if (parents.length === 0) return tree.open.length > 0 ? [] : [draft];
  const generation = Math.floor(tree.nodes.length / population);
  const fitness = parents.map(({ value }) => Math.max(LEAST, tree.normalised(value!)) ** (1 / temperature));
  return Array.from({ length: population }, (): Choice => {
    const parent = drawn(parents, fitness, random);
    const others = parents.filter((other) => other !== parent);
    if (generation < 2 || others.length === 0 || random() >= crossover) return improve(parent);
    const weights = others.map((other) => fitness[parents.indexOf(other)]!);
    return { operator: 'crossover', parent: parent.index, secondParent: drawn(others, weights, random).index };
  });
};
