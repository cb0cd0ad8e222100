import { expect, it } from 'vitest';
import type { Stores } from '../../../domain/ports/stores.js';
import { storesOf } from '../../../operations/stores-of.js';

/** Stores that have what these tests call, and how often they were opened. */
function opened() {
  const calls = { opened: 0 };
  const steps = async function* () {
    yield await Promise.resolve([{ step: 1 }]);
    yield [{ step: 2 }];
  };
  const stores = {
    store: { shownSteps: steps },
    queries: { runIds: () => Promise.resolve(['r-1']) },
  } as unknown as Stores;
  const open = () => {
    calls.opened++;
    return Promise.resolve(stores);
  };
  return { calls, stores: storesOf(open) };
}

it('opens the database at the first call of a store', async () => {
  const { calls, stores } = opened();
  expect(calls.opened).toBe(0);
  expect(await stores.queries.runIds()).toEqual(['r-1']);
  expect(calls.opened).toBe(1);
});

it('streams the steps of prompts', async () => {
  const { stores } = opened();
  const shown: number[] = [];
  for await (const some of stores.store.shownSteps('r-1', { after: 0, through: 2 }))
    shown.push(...some.map(({ step }) => step));
  expect(shown).toEqual([1, 2]);
});
