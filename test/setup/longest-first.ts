import { BaseSequencer, type TestSpecification } from 'vitest/node';

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

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Stable.
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
