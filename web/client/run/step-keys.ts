import { useMemo } from 'react';
import type { Change } from '../address/change.js';
import { type Binding, useKeys } from '../keys/keys.js';
import type { Skeleton } from '../live/fold.js';
import type { Found } from './text-matches.js';
import { isError, isValidate } from './skeleton.js';
import { type Density, placeOf, type StepPosition } from './step-position.js';

export function useStepKeys({
  skeleton: { columns, flags },
  steps,
  places,
  density,
  found,
  change,
  position: { current, go, setFollow },
}: {
  skeleton: Skeleton;
  steps: readonly number[];
  places: readonly number[];
  density: Density;
  found: Found;
  change: Change<'/runs/$id'>;
  position: StepPosition;
}): void {
  const flagged = useMemo(() => new Set(flags.flatMap(({ step }) => (step === null ? [] : [step]))), [flags]);
  const hits = useMemo(() => new Set(found.steps), [found.steps]);
  const at = (): number => placeOf(steps, current);
  const step = (keys: string, does: string, by: 1 | -1): Binding => ({
    keys,
    does,
    run: () => go(steps[Math.max(0, Math.min(steps.length - 1, at() + by))]!),
  });
  const next = (keys: string, does: string, by: 1 | -1, test: (place: number) => boolean): Binding => ({
    keys,
    does,
    run: () => {
      for (let i = at() + by; i >= 0 && i < steps.length; i += by) if (test(places[i]!)) return go(steps[i]!);
    },
  });
  const validates = (place: number): boolean => isValidate(columns, place);
  const fails = (place: number): boolean => isError(columns, place);
  const isHit = (place: number): boolean => hits.has(columns.step[place]!);
  useKeys('Steps', [
    step('l', 'next step', 1),
    step('h', 'step before', -1),
    step('j', 'next step', 1),
    step('k', 'step before', -1),
    next(']', 'next validate', 1, validates),
    next('[', 'validate before', -1, validates),
    next('e', 'next error', 1, fails),
    next('E', 'error before', -1, fails),
    next('m', 'next flag', 1, (place) => flagged.has(columns.step[place]!)),
    ...(found.state === 'none' ? [] : [next('n', 'next hit', 1, isHit), next('N', 'hit before', -1, isHit)]),
    { keys: 'f', does: 'follow the run', run: () => setFollow(true) },
    {
      keys: 'o',
      does: 'expand or collapse the step',
      run: () => change({ density: density === 'list' ? undefined : 'list', step: current }),
    },
  ]);
}
