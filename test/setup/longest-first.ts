import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isBeingPrepared } from './beside-the-tests.js';

/** The slowest files first, so that none is left alone at the end; vitest goes by project. */
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

/** These run while images or Temporal are prepared; `unit` has many small files for the end. */
const MEANWHILE = ['checks', 'python', 'sql'];

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Stable.
    sorted.sort((a, b) => rank(a) - rank(b));
    if (!(['images', 'temporal', 'programs'] as const).some(isBeingPrepared)) return sorted;
    const waits = ({ project }: TestSpecification) => Number(!MEANWHILE.includes(project.name));
    return sorted.sort((a, b) => waits(a) - waits(b));
  }
}
