import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isBeingPrepared } from './beside-the-tests.js';

/** What takes longest begins first, so that no long file is left alone at the end; vitest would take project by project. */
const LONGEST = [
  'sandbox-port',
  'attack-suite',
  'evaluator-port',
  'checks',
  'snapshots',
  'hosts',
  'crash',
  'workflows',
  'storm',
  'recorded-runs',
  'ledger',
  'cli-batch',
  'special-commands',
  'sandbox-port-snapshots',
  'evaluator-questions',
  'cli-bad-input',
  'namespace-owner',
  'cli-batch-control',
  'real-models',
  'human',
  'external-turns',
  'gpu-leases',
  'image-layers',
  'spoilt-sandbox',
  'full-disk',
  'tasks-verify',
  'budget',
  'terminated-workflows',
  'services',
  'replay',
];

const rank = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return place === -1 ? LONGEST.length : place;
};

/** While images or Temporal are made, what needs neither begins; `unit`, many small files, fills up the end all the same. */
const MEANWHILE = ['checks', 'python', 'sql'];

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Stable.
    sorted.sort((a, b) => rank(a) - rank(b));
    if (!isBeingPrepared('images') && !isBeingPrepared('temporal')) return sorted;
    const waits = ({ project }: TestSpecification) => Number(!MEANWHILE.includes(project.name));
    return sorted.sort((a, b) => waits(a) - waits(b));
  }
}
