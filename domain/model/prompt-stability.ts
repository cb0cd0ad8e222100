/**
 * Whether the next prompt of the run shows a message as this one does. Kept beside messages, not in
 * them: they are recorded, hashed and sent as they are.
 *
 * `settled`: shortened, and never changed again. `leaves`: shortened in the next prompt, so that
 * nothing from it on is worth a place in a provider's cache.
 */
export type Stability = 'settled' | 'leaves';

const known = new WeakMap<object, Stability>();

export const stabilityOf = (message: object): Stability | undefined => known.get(message);

/** Returns `to`. */
export function withStability<T extends object>(to: T, stability: Stability | undefined): T {
  if (stability !== undefined) known.set(to, stability);
  return to;
}
