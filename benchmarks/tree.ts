/**
 * Search policies against one line of the same number of nodes, and drafts that know of each other
 * against drafts that do not, waves against asynchronous expansion, and ensembles, on simulated
 * tasks.
 *
 *   npm run benchmark:tree -- [--nodes 30] [--seeds 200]
 */
import { parseArgs } from 'node:util';
import { SEARCH_POLICIES } from '../domain/tree/spec.js';
import { compareDrafting, compareEnsembles, compareExpansion, comparePolicies } from './tree/simulate.js';
import { WORLDS } from './tree/world.js';

const { values } = parseArgs({
  options: { nodes: { type: 'string', default: '30' }, seeds: { type: 'string', default: '200' } },
});
const [nodes, seeds] = [Number(values.nodes), Number(values.seeds)];
const worlds = Object.fromEntries(
  Object.entries(WORLDS).map(([name, world]) => [name, comparePolicies(world, SEARCH_POLICIES, { nodes, seeds })]),
);
const branching = SEARCH_POLICIES.filter((policy) => policy !== 'linear');
const drafts = Object.fromEntries(
  Object.entries(WORLDS).map(([name, world]) => [
    `${name}, drafts`,
    compareDrafting(world, branching, { nodes, seeds }),
  ]),
);
const expansions = Object.fromEntries(
  Object.entries(WORLDS).map(([name, world]) => [
    `${name}, expansion`,
    compareExpansion(world, branching, { nodes, seeds }),
  ]),
);
const ensembles = Object.fromEntries(
  Object.entries(WORLDS).map(([name, world]) => [
    `${name}, ensemble`,
    compareEnsembles(world, branching, { nodes, seeds }),
  ]),
);
for (const [name, rows] of Object.entries(ensembles))
  for (const { policy, combines, mean, gain, gainInErrors } of rows)
    process.stderr.write(
      `${name}: ${policy} ${combines} ${mean.toFixed(3)}, ${gain.toFixed(3)} over none (${gainInErrors.toFixed(1)} standard errors)\n`,
    );
for (const [name, rows] of Object.entries(expansions))
  for (const { policy, expansion, mean, standardError, time } of rows)
    process.stderr.write(
      `${name}: ${policy} ${expansion} ${mean.toFixed(3)} ± ${standardError.toFixed(3)} in ${time.toFixed(1)} durations of a node\n`,
    );
for (const [name, rows] of Object.entries(drafts))
  for (const { policy, drafts: how, mean, gain, gainInErrors } of rows)
    process.stderr.write(
      `${name}: ${policy} ${how} ${mean.toFixed(3)}, ${gain.toFixed(3)} over blind (${gainInErrors.toFixed(1)} standard errors)\n`,
    );
for (const [name, rows] of Object.entries(worlds))
  for (const { policy, mean, standardError, gain, gainInErrors } of rows)
    process.stderr.write(
      `${name}: ${policy} ${mean.toFixed(3)} ± ${standardError.toFixed(3)}, ${gain.toFixed(3)} over linear (${gainInErrors.toFixed(1)} standard errors)\n`,
    );
process.stdout.write(
  `${JSON.stringify({ benchmark: 'tree', nodes, seeds, ...worlds, ...drafts, ...expansions, ...ensembles })}\n`,
);
