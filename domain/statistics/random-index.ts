// pure-rand: seeded generators that give the same numbers on every platform, which Math.random cannot.
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Whole numbers from 0 up to, not including, `below` (at most 2^20), each as likely to one in 4,000: the same for the same seed. */
export function randomIndexes(seed: number): (below: number) => number {
  const generator = xoroshiro128plus(seed);
  // The first numbers of neighbouring seeds are alike.
  generator.jump();
  return (below) => Math.floor(((generator.next() >>> 0) / 0x1_0000_0000) * below);
}
