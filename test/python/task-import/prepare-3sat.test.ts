import { resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';

const FOLDERS = ['datasets/mlgym', 'images/evaluator'].map((name) => resolve(import.meta.dirname, '../../..', name));

async function python<T>(code: string): Promise<T> {
  const prelude = `import json, random, sys\nsys.dont_write_bytecode = True\nsys.path[:0] = ${JSON.stringify(FOLDERS)}\nimport prepare_3sat\n`;
  const { stdout } = await execa('python3', ['-c', prelude + code]);
  return JSON.parse(stdout) as T;
}

describe('made instances of 3-SAT', () => {
  it('are the same each time, of each size, three distinct variables in a clause', async () => {
    const found = await python<{
      same: boolean;
      other: boolean;
      count: number;
      sizes: number;
      first: number[];
      odd: number;
    }>(`
make = lambda purpose: prepare_3sat.instances(random.Random(purpose), 1)
found = make("a")
print(json.dumps({
  "same": found == make("a"), "other": found == make("b"), "count": len(found), "first": found[0][:3],
  "sizes": len({(n, m) for _, n, m, _, _, _ in found}),
  "odd": sum(len({abs(x) for x in c}) != 3 or not all(1 <= abs(x) <= n for x in c) for _, n, _, f, _, _ in found for c in f)
    + sum(len(f) != m for _, _, m, f, _, _ in found),
}))`);
    expect(found).toEqual({ same: true, other: false, count: 80, sizes: 80, first: [1, 3, 6], odd: 0 });
  });

  it('have the answers that trying each assignment gives', async () => {
    const found = await python<{ wrong: number; yes: number }>(`
from itertools import product
found = [each for each in prepare_3sat.instances(random.Random("c"), 2) if each[1] <= 6]
def tried(n, formula):
    return any(all(any(values[abs(x) - 1] == (x > 0) for x in c) for c in formula) for values in product((False, True), repeat=n))
print(json.dumps({"wrong": sum(tried(n, f) != sat for _, n, _, f, sat, _ in found), "yes": sum(each[4] for each in found)}))`);
    expect(found.wrong).toBe(0);
    expect(found.yes).toBeGreaterThan(10);
    expect(found.yes).toBeLessThan(70);
  });
});
