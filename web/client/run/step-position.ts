import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Change } from '../address/change.js';

export type Density = 'list' | 'reading' | 'full';

/** Rows per scroller: browsers end at some 18 million pixels. */
const SEGMENT: Record<Density, number> = { list: 200_000, reading: 8_000, full: 2_000 };
const GUESS: Record<Density, number> = { list: 28, reading: 260, full: 420 };
/** Within this time, a change of the address is our own. */
const OWN_MS = 2_000;
/** Duration of a scroll that we requested. */
const MOVING_MS = 400;

/** Of the last step that is not after the wanted one. */
export function placeOf(steps: readonly number[], step: number): number {
  let low = 0;
  let high = steps.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (steps[middle]! <= step) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Shows one segment of steps; `show` scrolls to a place. */
function useSegments(steps: readonly number[], density: Density, first: number, follow: boolean) {
  const scroller = useRef<HTMLDivElement>(null);
  const size = SEGMENT[density];
  const [segment, setSegment] = useState(() => Math.floor(placeOf(steps, first) / size));
  const from = segment * size;
  const shown = Math.max(0, Math.min(size, steps.length - from));
  const virtual = useVirtualizer({
    count: shown,
    getScrollElement: () => scroller.current,
    estimateSize: () => GUESS[density],
    getItemKey: (index) => steps[from + index] ?? index,
    overscan: density === 'list' ? 20 : 2,
  });
  /** We are scrolling: passing steps do not become the current one. */
  const moving = useRef(false);
  const goal = useRef<number | null>(null);
  /** Keeps the target at the top while heights settle, until the reader scrolls. */
  const pinned = useRef<number | null>(null);
  const scrollTo = useCallback(
    (place: number) => {
      moving.current = true;
      pinned.current = place;
      virtual.scrollToIndex(place - from, { align: density === 'list' ? 'auto' : 'start' });
      setTimeout(() => (moving.current = false), MOVING_MS);
    },
    [virtual, from, density],
  );
  const toEnd = useCallback(() => virtual.scrollToIndex(shown - 1, { align: 'end' }), [virtual, shown]);
  const show = (place: number): void => {
    const its = Math.floor(place / size);
    if (its === segment) return scrollTo(place);
    goal.current = place;
    setSegment(its);
  };
  const height = virtual.getTotalSize();
  useLayoutEffect(() => {
    const place = pinned.current;
    // Following stays at the end while heights settle.
    if (follow) toEnd();
    else if (place !== null && density !== 'list') virtual.scrollToIndex(place - from, { align: 'start' });
  }, [height, virtual, from, density, follow, toEnd]);
  // In the new segment, once it is laid out.
  useLayoutEffect(() => {
    if (goal.current === null) return;
    const place = goal.current;
    goal.current = null;
    scrollTo(place);
  }, [segment, scrollTo]);
  return { scroller, virtual, size, segment, from, height, moving, pinned, show, toEnd };
}
type Segments = ReturnType<typeof useSegments>;

/** Keeps the last step current and visible. Returns how many came since. */
function useFollow(
  { moving, pinned, toEnd }: Segments,
  steps: readonly number[],
  follow: boolean,
  setCurrent: (step: number) => void,
): number {
  const total = steps.length;
  useEffect(() => {
    if (!follow || total === 0) return undefined;
    moving.current = true;
    pinned.current = null;
    setCurrent(steps[total - 1]!);
    toEnd();
    const timer = setTimeout(() => (moving.current = false), MOVING_MS);
    return () => clearTimeout(timer);
  }, [follow, total, toEnd, steps, moving, pinned, setCurrent]);
  const seen = useRef(total);
  useEffect(() => {
    if (follow) seen.current = total;
  }, [follow, total]);
  return total - seen.current;
}

/** `onEnd`: whether the reader is at the end; `onRest`: the step that scrolling rests at. */
function useScrolling(
  { scroller, virtual, from, moving, pinned }: Segments,
  steps: readonly number[],
  onEnd: (at: boolean) => void,
  onRest: (step: number) => void,
): () => void {
  const lastTop = useRef(0);
  const settle = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(settle.current), []);
  return () => {
    const element = scroller.current;
    if (element === null) return;
    // Only the reader scrolls up; growth does not.
    const up = element.scrollTop < lastTop.current - 2;
    lastTop.current = element.scrollTop;
    if (moving.current || pinned.current !== null) return;
    // Within 30 px of the end; scrolling up leaves it.
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 30;
    if (atEnd || up) onEnd(atEnd);
    clearTimeout(settle.current);
    settle.current = setTimeout(() => {
      const top = virtual.getVirtualItemForOffset((virtual.scrollOffset ?? 0) + 40);
      const step = top === undefined ? undefined : steps[from + top.index];
      if (step !== undefined) onRest(step);
    }, 250);
  };
}

/** The reader's place: by the address, by scrolling, or at the followed end. */
export function useStepPosition({
  steps,
  density,
  live,
  wanted,
  first,
  change,
}: {
  steps: readonly number[];
  density: Density;
  live: boolean;
  wanted: number | undefined;
  first: number;
  change: Change<'/runs/$id'>;
}) {
  const [current, setCurrent] = useState(wanted ?? first);
  const [follow, setFollow] = useState(live && wanted === undefined);
  const segments = useSegments(steps, density, current, follow);
  const { show, moving, pinned } = segments;
  /** Steps that we put into the address, and when: they return later. */
  const own = useRef(new Map<number, number>());
  const enter = (step: number, replace: boolean): void => {
    setCurrent(step);
    own.current.set(step, Date.now());
    change({ step }, replace);
  };
  const go = (step: number, replace = false): void => {
    const place = placeOf(steps, step);
    const to = steps[place];
    if (to === undefined) return;
    setFollow(false);
    enter(to, replace);
    show(place);
  };
  // The address decides at first, when others change it, and once its step is loaded.
  const reached = wanted === undefined || (steps.at(-1) ?? 0) >= wanted;
  useEffect(() => {
    if (wanted === undefined || Date.now() - (own.current.get(wanted) ?? 0) < OWN_MS) return;
    const place = placeOf(steps, wanted);
    setCurrent(steps[place] ?? wanted);
    show(place);
  }, [wanted, reached]); // eslint-disable-line react-hooks/exhaustive-deps -- only when the address changes, or is reached
  const fresh = useFollow(segments, steps, follow, setCurrent);
  const onScroll = useScrolling(
    segments,
    steps,
    (atEnd) => live && setFollow(atEnd),
    (step) => density !== 'list' && enter(step, true),
  );
  const release = (): void => {
    pinned.current = null;
    moving.current = false;
  };
  return { ...segments, current, go, follow, setFollow, fresh, onScroll, release };
}
export type StepPosition = ReturnType<typeof useStepPosition>;
