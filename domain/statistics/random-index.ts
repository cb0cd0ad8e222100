// pure-rand: seeded generators with the same numbers on every platform, unlike Math.random.
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Seeded integers in [0, below), `below` at most 2^20, uniform to one in 4,000. */
export function randomIndexes(seed: number): (below: number) => number {
  const generator = xoroshiro128plus(seed);
  // The first numbers of neighbouring seeds are alike.
  generator.jump();
  return (below) => Math.floor(((generator.next() >>> 0) / 0x1_0000_0000) * below);
}
