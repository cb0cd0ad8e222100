import { describe, expect, it } from 'vitest';
import { checkoutFiles, read } from '../docs/checkout.js';
import { reachOf } from './import-graph.js';

/** Where a home is composed: these know all of it. */
const COMPOSITION = [
  ...['bench', 'open-bench', 'library', 'index'].map((name) => `operations/${name}.ts`),
  'web/server/serve.ts',
];

/** The code without comments and texts. */
const code = (file: string): string =>
  read(file)
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
    .replace(/'[^'\n]*'|`[^`]*`/g, "''");

describe('verbs', () => {
  it.each([
    ['operations/batches/submit-batch.ts', 200],
    ['operations/episodes/act.ts', 90],
  ])('%s reaches fewer than %i modules, and neither stores nor services', (file, most) => {
    const reached = [...reachOf(file)];
    expect(reached.length).toBeLessThan(most);
    expect(reached.filter((one) => /^(?:db|services)\/|^operations\/(?:open-)?bench\.ts/.test(one))).toEqual([]);
  });
});

describe.each(['operations', 'envs', 'web/server'])('signatures in %s', (folder) => {
  it('name the ports that they use, never a whole home or database', () => {
    const files = checkoutFiles(folder).filter((file) => file.endsWith('.ts') && !COMPOSITION.includes(file));
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((file) => /\b(?:Bench|Database|pool)\b/.test(code(file)))).toEqual([]);
  });
});

it('servers reach the database by verbs alone', () => {
  const files = ['envs', 'web'].flatMap((folder) => checkoutFiles(folder)).filter((file) => /\.tsx?$/.test(file));
  expect(files.filter((file) => /from '(?:\.\.\/)+db\//.test(read(file)))).toEqual([]);
});
