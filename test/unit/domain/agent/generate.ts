/** Generated inputs for properties: the same on every run, and every failure names its seed. */

export interface Generator {
  int(below: number): number;
  pick<T>(items: readonly T[]): T;
  list<T>(atMost: number, make: () => T): T[];
  /** Text of these pieces. */
  text(pieces: readonly string[], atMost: number): string;
}

function generator(seed: number): Generator {
  let state = (seed + 1) * 0x9e3779b9;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (below: number): number => Math.floor(next() * below);
  const pick = <T>(items: readonly T[]): T => items[int(items.length)]!;
  const list = <T>(atMost: number, make: () => T): T[] => Array.from({ length: int(atMost + 1) }, make);
  return { int, pick, list, text: (pieces, atMost) => list(atMost, () => pick(pieces)).join('') };
}

/** Check a property for many generated inputs. */
export function forAll(cases: number, property: (generate: Generator) => void): void {
  for (let seed = 0; seed < cases; seed += 1) {
    try {
      property(generator(seed));
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
}
