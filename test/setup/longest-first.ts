import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isBeingPrepared } from './beside-the-tests.js';

/** The slowest files of a project first, so that none is left alone at the end. */
const LONGEST = [
  'sandbox-port',
  'attack-suite',
  'protocols',
  'checks',
  'crash',
  'snapshots',
  'hosts',
  'evaluator-port',
  'services',
  'damaged-store',
  'terminated-workflows',
  'episode-faults',
  'workflows',
  'episodes',
  'ors',
  'cli-batch',
  'episodes-engine',
  'real-models',
  'full-disk',
  'tasks-verify',
  'openenv',
  'evaluator-questions',
  'budget',
  'kept-disks',
  'cli-batch-control',
  'infrastructure-faults',
  'namespace-owner',
  'pages',
  'sandbox-port-hostile',
  'rollouts',
  'replay',
  'page',
  'evaluator-kinds',
  'spoilt-sandbox',
  'python-client',
  'play',
  'services-commands',
  'exit-codes',
  'game-tasks',
  'splits',
  'own-configs',
  'special-commands',
  'hostile-text',
  'warm-episodes',
  'sandbox-port-snapshots',
  'worker-metrics',
  'image-layers',
  'storm',
  'recorded-runs',
  'ledger',
  'gpu-leases',
  'overload',
  'notify',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return place === -1 ? LONGEST.length : place;
};

/**
 * A process takes another file only of its own project, and starting one loads the same modules
 * again: 40 starts fewer than with the longest first over all projects. `unit` has many small
 * files for the end.
 */
const PROJECTS = [
  ...['checks', 'home', 'chaos', 'integrity', 'temporal', 'engine', 'browser'],
  ...['python', 'servers', 'sql', 'unit'],
];

/** These run while images or Temporal are prepared. */
const MEANWHILE = ['checks', 'python', 'sql'];

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isPreparing = (['images', 'temporal', 'programs'] as const).some(isBeingPrepared);
    const order = (name: string): number => (isPreparing && MEANWHILE.includes(name) ? -1 : PROJECTS.indexOf(name));
    const sorted = await super.sort(files);
    // Stable.
    sorted.sort((a, b) => order(a.project.name) - order(b.project.name) || rank(a) - rank(b));
    return sorted;
  }
}
