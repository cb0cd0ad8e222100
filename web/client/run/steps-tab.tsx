import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { RunSearch } from '../address/pages.js';
import { WINDOW } from '../data/first-views.js';
import { stepWindow } from '../data/queries.js';
import { useKeys } from '../keys/keys.js';
import type { Skeleton } from '../live/fold.js';
import { bytes, count, duration, plural, usd } from '../parts/format.js';
import { Empty } from '../parts/states.js';
import { plainText } from '../parts/text.js';
import { Score } from '../parts/values.js';
import { type Found, useFind, useMarkedText } from './find.js';
import { Rail } from './rail.js';
import { BADGES, isError, isValidate, seriesOf } from './skeleton.js';
import { StepBody } from './step-body.js';

/** Rows that share a scroller: browsers cannot reach beyond some 18 million pixels. */
const SEGMENT = { list: 200_000, reading: 8_000, full: 2_000 };
/** Within this a change of the address is our own. */
const OWN_MS = 2_000;
const GUESS = { list: 28, reading: 260, full: 420 };

export function StepsTab({ skeleton, live }: { skeleton: Skeleton; live: boolean }) {
  const search = useSearch({ from: '/runs/$id' });
  const navigate = useNavigate({ from: '/runs/$id' });
  const { columns } = skeleton;
  const density = search.density ?? 'reading';
  const show = search.show ?? 'all';
  const change = useCallback(
    (more: Partial<RunSearch>, replace = false) =>
      void navigate({ search: (now) => clean({ ...now, ...more }), replace }),
    [navigate],
  );

  const places = useMemo(() => {
    const found: number[] = [];
    for (let i = 0; i < columns.step.length; i++)
      if (
        (show === 'validates' ? isValidate(columns, i) : show === 'errors' ? isError(columns, i) : true) &&
        (search.category === undefined || columns.category[i] === search.category)
      )
        found.push(i);
    return found;
  }, [columns, show, search.category]);
  const steps = useMemo(() => places.map((place) => columns.step[place]!), [places, columns]);

  const found = useFind(skeleton.runId, search.find);
  const categories = useMemo(() => [...new Set(columns.category)].sort(), [columns]);
  return (
    <div className="steps-tab">
      <div className="toolbar" role="group" aria-label="Which steps, and how">
        <label>
          Show{' '}
          <select
            value={show}
            onChange={(event) => change({ show: event.currentTarget.value as RunSearch['show'] & string })}
          >
            <option value="all">all</option>
            <option value="no-thoughts">no thoughts</option>
            <option value="validates">only validates</option>
            <option value="errors">only errors</option>
          </select>
        </label>
        <label>
          Category{' '}
          <select
            value={search.category ?? ''}
            onChange={(event) =>
              change({
                category: event.currentTarget.value === '' ? undefined : event.currentTarget.value,
              } as Partial<RunSearch>)
            }
          >
            <option value="">all</option>
            {categories.map((name) => (
              <option key={name} value={name}>
                {plainText(name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          As{' '}
          <select
            value={density}
            onChange={(event) => change({ density: event.currentTarget.value as RunSearch['density'] & string })}
          >
            <option value="list">list</option>
            <option value="reading">reading</option>
            <option value="full">full</option>
          </select>
        </label>
        <span className="muted">
          {places.length === columns.step.length
            ? plural(places.length, 'step')
            : `${count(places.length)} of ${plural(columns.step.length, 'step')}`}
        </span>
        <FindBox find={search.find} found={found} change={change} />
        <Legend categories={categories} />
      </div>
      {columns.step.length === 0 ? (
        <Empty title={live ? 'No step yet' : 'This run has no steps'}>
          {live && <p>The first step appears when the model has replied.</p>}
        </Empty>
      ) : (
        <StepList
          key={`${density} ${show}`}
          skeleton={skeleton}
          steps={steps}
          places={places}
          density={density}
          thoughts={show !== 'no-thoughts'}
          live={live}
          change={change}
          step={search.step}
          find={search.find}
          found={found}
        />
      )}
    </div>
  );
}

const clean = (search: RunSearch): RunSearch =>
  Object.fromEntries(
    Object.entries(search).filter(
      ([name, value]) =>
        value !== undefined && !(name === 'show' && value === 'all') && !(name === 'density' && value === 'reading'),
    ),
  ) as RunSearch;

const Legend = ({ categories }: { categories: readonly string[] }) => (
  <span className="legend" aria-hidden="true">
    {categories.map((name) => (
      <span key={name}>
        <i className={`swatch series-${seriesOf(name)}`} />
        {name}
      </span>
    ))}
  </span>
);

interface ListProps {
  skeleton: Skeleton;
  /** Those that are shown, in order, and where each is in the skeleton. */
  steps: readonly number[];
  places: readonly number[];
  density: 'list' | 'reading' | 'full';
  thoughts: boolean;
  live: boolean;
  step: number | undefined;
  find: string | undefined;
  found: Found;
  change: (more: Partial<RunSearch>, replace?: boolean) => void;
}

/** The place of the last step that is not after the one wanted. */
function placeOf(steps: readonly number[], step: number): number {
  let low = 0;
  let high = steps.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (steps[middle]! <= step) low = middle;
    else high = middle - 1;
  }
  return low;
}

function StepList({
  skeleton,
  steps,
  places,
  density,
  thoughts,
  live,
  step: wanted,
  find: sought,
  found,
  change,
}: ListProps) {
  const { columns } = skeleton;
  const queries = useQueryClient();
  const scroller = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(wanted ?? columns.step[0] ?? 1);
  const [follow, setFollow] = useState(live && wanted === undefined);
  const size = SEGMENT[density];
  const [segment, setSegment] = useState(() => Math.floor(placeOf(steps, current) / size));
  const from = segment * size;
  const shown = Math.max(0, Math.min(size, steps.length - from));
  const virtual = useVirtualizer({
    count: shown,
    getScrollElement: () => scroller.current,
    estimateSize: () => GUESS[density],
    getItemKey: (index) => steps[from + index] ?? index,
    overscan: density === 'list' ? 20 : 2,
  });
  /** Set while we scroll ourselves, so that passing steps do not become the current one. */
  const moving = useRef(false);
  const goal = useRef<number | null>(null);
  /** The place that was gone to stays at the top while heights above it settle, until the reader scrolls. */
  const pinned = useRef<number | null>(null);
  const release = (): void => {
    pinned.current = null;
    moving.current = false;
  };

  const scrollTo = useCallback(
    (place: number) => {
      moving.current = true;
      pinned.current = place;
      virtual.scrollToIndex(place - from, { align: density === 'list' ? 'auto' : 'start' });
      setTimeout(() => (moving.current = false), 400);
    },
    [virtual, from, density],
  );
  /** Steps that we have put into the address ourselves, and when: it comes back to us later. */
  const own = useRef(new Map<number, number>());
  const go = useCallback(
    (step: number, replace = false) => {
      const place = placeOf(steps, step);
      const to = steps[place];
      if (to === undefined) return;
      setFollow(false);
      setCurrent(to);
      own.current.set(to, Date.now());
      change({ step: to }, replace);
      const its = Math.floor(place / size);
      if (its === segment) scrollTo(place);
      else {
        goal.current = place;
        setSegment(its);
      }
    },
    [steps, size, segment, scrollTo, change],
  );
  const height = virtual.getTotalSize();
  useLayoutEffect(() => {
    const place = pinned.current;
    // Whoever follows stays at the end while heights settle.
    if (follow) virtual.scrollToIndex(shown - 1, { align: 'end' });
    else if (place !== null && density !== 'list') virtual.scrollToIndex(place - from, { align: 'start' });
  }, [height, virtual, from, density, follow, shown]);
  // In the new segment, once it is laid out.
  useLayoutEffect(() => {
    if (goal.current === null) return;
    const place = goal.current;
    goal.current = null;
    scrollTo(place);
  }, [segment, scrollTo]);
  // The address says where to be: at first, when it is changed by another than us, and once the steps as far as there have come.
  const reached = wanted === undefined || (steps.at(-1) ?? 0) >= wanted;
  useEffect(() => {
    if (wanted === undefined || Date.now() - (own.current.get(wanted) ?? 0) < OWN_MS) return;
    const place = placeOf(steps, wanted);
    setCurrent(steps[place] ?? wanted);
    if (Math.floor(place / size) === segment) scrollTo(place);
    else {
      goal.current = place;
      setSegment(Math.floor(place / size));
    }
  }, [wanted, reached]); // eslint-disable-line react-hooks/exhaustive-deps -- only when the address changes, or is reached

  const items = virtual.getVirtualItems();
  // What is around is asked for in advance; what was passed is aborted as its parts are gone.
  const firstSeen = steps[from + (items[0]?.index ?? 0)];
  const lastSeen = steps[from + (items.at(-1)?.index ?? 0)];
  useEffect(() => {
    if (density === 'list' || firstSeen === undefined || lastSeen === undefined) return undefined;
    const timer = setTimeout(() => {
      for (const step of [firstSeen - 2 * WINDOW, firstSeen - WINDOW, lastSeen + WINDOW, lastSeen + 2 * WINDOW])
        if (step > 0 && step <= (columns.step.at(-1) ?? 0))
          void queries.prefetchQuery(stepWindow(skeleton.runId, step));
    }, 150);
    return () => clearTimeout(timer);
  }, [density, firstSeen, lastSeen, queries, skeleton.runId, columns]);

  useMarkedText(scroller, sought, `${firstSeen} ${lastSeen} ${height}`);

  // Follow: at the end within 30 px of it; scrolling up leaves.
  const count_ = steps.length;
  useEffect(() => {
    if (!follow || count_ === 0) return;
    moving.current = true;
    pinned.current = null;
    setCurrent(steps[count_ - 1]!);
    virtual.scrollToIndex(shown - 1, { align: 'end' });
    const timer = setTimeout(() => (moving.current = false), 400);
    return () => clearTimeout(timer);
  }, [follow, count_, shown, virtual, steps]);
  const seenTotal = useRef(count_);
  useEffect(() => {
    if (follow) seenTotal.current = count_;
  }, [follow, count_]);
  const fresh = count_ - seenTotal.current;

  const lastTop = useRef(0);
  const settle = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onScroll = (): void => {
    const element = scroller.current;
    if (element === null) return;
    // Only the reader scrolls up; what grows below the end is none of their doing.
    const up = element.scrollTop < lastTop.current - 2;
    lastTop.current = element.scrollTop;
    if (moving.current || pinned.current !== null) return;
    const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 30;
    if (live && (atEnd || up)) setFollow(atEnd);
    clearTimeout(settle.current);
    settle.current = setTimeout(() => {
      const top = virtual.getVirtualItemForOffset((virtual.scrollOffset ?? 0) + 40);
      const step = top === undefined ? undefined : steps[from + top.index];
      if (step === undefined || density === 'list') return;
      setCurrent(step);
      own.current.set(step, Date.now());
      change({ step }, true);
    }, 250);
  };
  useEffect(() => () => clearTimeout(settle.current), []);

  const find = (test: (place: number) => boolean, by: 1 | -1): void => {
    for (let i = placeOf(steps, current) + by; i >= 0 && i < steps.length; i += by)
      if (test(places[i]!)) return go(steps[i]!);
  };
  const flagged = useMemo(
    () => new Set(skeleton.flags.flatMap(({ step }) => (step === null ? [] : [step]))),
    [skeleton.flags],
  );
  const hits = useMemo(() => new Set(found.steps), [found.steps]);
  const neighbour = (by: 1 | -1): void =>
    go(steps[Math.max(0, Math.min(steps.length - 1, placeOf(steps, current) + by))]!);
  useKeys('Steps', [
    { keys: 'l', does: 'next step', run: () => neighbour(1) },
    { keys: 'h', does: 'step before', run: () => neighbour(-1) },
    { keys: 'j', does: 'next step', run: () => neighbour(1) },
    { keys: 'k', does: 'step before', run: () => neighbour(-1) },
    { keys: ']', does: 'next validate', run: () => find((place) => isValidate(columns, place), 1) },
    { keys: '[', does: 'validate before', run: () => find((place) => isValidate(columns, place), -1) },
    { keys: 'e', does: 'next error', run: () => find((place) => isError(columns, place), 1) },
    { keys: 'E', does: 'error before', run: () => find((place) => isError(columns, place), -1) },
    { keys: 'm', does: 'next flag', run: () => find((place) => flagged.has(columns.step[place]!), 1) },
    ...(found.state === 'none'
      ? []
      : [
          { keys: 'n', does: 'next hit', run: () => find((place) => hits.has(columns.step[place]!), 1) },
          { keys: 'N', does: 'hit before', run: () => find((place) => hits.has(columns.step[place]!), -1) },
        ]),
    { keys: 'f', does: 'follow the run', run: () => setFollow(true) },
    {
      keys: 'o',
      does: 'expand or collapse the step',
      run: () => change({ density: density === 'list' ? 'reading' : 'list', step: current }),
    },
  ]);
  const events = useMemo(() => {
    const found = new Map<number, { kind: string; at: string }[]>();
    for (const { step, kind, at } of skeleton.events) found.set(step, [...(found.get(step) ?? []), { kind, at }]);
    return found;
  }, [skeleton.events]);

  if (steps.length === 0) return <Empty title="No step matches" />;
  const segments = Math.ceil(steps.length / size);
  return (
    <div className="steps">
      <Rail skeleton={skeleton} current={current} hits={found.steps} onGo={(step) => go(step, true)} />
      <div
        className="step-scroller"
        ref={scroller}
        onScroll={onScroll}
        onWheel={release}
        onTouchMove={release}
        onPointerDown={release}
        onKeyDown={release}
        tabIndex={0}
        role="feed"
        aria-label="Steps"
        aria-busy={false}
      >
        {segment > 0 && <SegmentLink to={segment - 1} size={size} steps={steps} onGo={go} end />}
        <div className="step-space" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ key, index, start }) => {
            const place = places[from + index]!;
            const step = steps[from + index]!;
            return (
              <article
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                data-step={step}
                aria-posinset={from + index + 1}
                aria-setsize={steps.length}
                aria-label={`Step ${step}`}
                className={`step ${density} ${step === current ? 'current' : ''}`}
                style={{ transform: `translateY(${start}px)` }}
              >
                <StepHead
                  skeleton={skeleton}
                  place={place}
                  onGo={() => (density === 'list' ? change({ density: 'reading', step }) : go(step))}
                />
                {density !== 'list' && (
                  <StepBody
                    id={skeleton.runId}
                    step={step}
                    density={density}
                    thoughts={thoughts}
                    events={events.get(step) ?? []}
                  />
                )}
              </article>
            );
          })}
        </div>
        {segment < segments - 1 && <SegmentLink to={segment + 1} size={size} steps={steps} onGo={go} />}
      </div>
      {live && !follow && (
        <button type="button" className="chip" onClick={() => setFollow(true)}>
          {fresh > 0 ? plural(fresh, 'new step') : 'follow'} ↓
        </button>
      )}
    </div>
  );
}

/** Finds in all steps, loaded or not; the browser's own search sees what is on screen alone. */
function FindBox({
  find,
  found,
  change,
}: {
  find: string | undefined;
  found: Found;
  change: (more: Partial<RunSearch>, replace?: boolean) => void;
}) {
  const box = useRef<HTMLInputElement>(null);
  useKeys('Find', [
    {
      keys: 'Ctrl-F',
      does: 'find in all steps; twice: find of the browser',
      run: () => {
        if (document.activeElement === box.current) return false;
        box.current?.focus();
        box.current?.select();
        return true;
      },
    },
  ]);
  const error = found.error instanceof Error ? found.error.message : null;
  return (
    <span className="find row">
      <input
        ref={box}
        type="search"
        data-search
        key={find ?? ''}
        defaultValue={find}
        maxLength={500}
        spellCheck={false}
        placeholder="find in all steps"
        aria-label="Find in all steps; Enter searches"
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          const typed = event.currentTarget.value;
          event.currentTarget.blur();
          change({ find: typed === '' ? undefined : typed } as Partial<RunSearch>);
        }}
      />
      {found.state !== 'none' && (
        <span className="muted" role="status">
          {error === null ? (
            `${plural(found.hits, 'hit')} in ${plural(found.steps.length, 'step')}${found.state === 'running' ? ' so far' : ''}`
          ) : (
            <span className="bad">{plainText(error)}</span>
          )}
        </span>
      )}
    </span>
  );
}

function SegmentLink({
  to,
  size,
  steps,
  onGo,
  end = false,
}: {
  to: number;
  size: number;
  steps: readonly number[];
  onGo: (step: number) => void;
  end?: boolean;
}) {
  const first = steps[to * size]!;
  const last = steps[Math.min(steps.length, (to + 1) * size) - 1]!;
  return (
    <button type="button" className="segment" onClick={() => onGo(end ? last : first)}>
      {end ? '↑' : '↓'} steps {count(first)} to {count(last)}
    </button>
  );
}

function StepHead({ skeleton: { columns }, place, onGo }: { skeleton: Skeleton; place: number; onGo: () => void }) {
  const badges = columns.badges[place]!;
  const score = columns.score[place];
  const exit = columns.exitCode[place];
  return (
    <header className="step-head">
      <button type="button" className="plain step-number" onClick={onGo}>
        {columns.step[place]}
      </button>
      <span className="step-category">
        <i className={`swatch series-${seriesOf(columns.category[place]!)}`} aria-hidden="true" />
        {columns.category[place]}
      </span>
      <span className="step-badges">
        {score !== null && score !== undefined && (
          <span className="badge good">
            <span aria-hidden="true">◆</span>
            <Score value={score} />
          </span>
        )}
        {exit !== null && exit !== undefined && exit !== 0 && <span className="badge bad">✕ exit {exit}</span>}
        {(badges & BADGES.timedOut) !== 0 && <span className="badge bad">⧖ timed out</span>}
        {(badges & BADGES.lost) !== 0 && <span className="badge warn">▲ lost with its sandbox</span>}
        {(badges & BADGES.copied) !== 0 && <span className="badge quiet">⑂ copied</span>}
        {(badges & BADGES.running) !== 0 && <span className="badge info">● runs</span>}
        {(badges & BADGES.unreadable) !== 0 && <span className="badge bad">✕ unreadable reply</span>}
      </span>
      <span className="grow" />
      <span className="muted number wide-only">{bytes(columns.observationBytes[place])}</span>
      <span className="muted number wide-only">{duration(columns.commandMs[place])}</span>
      <span className="muted number">{usd(columns.costUsd[place])}</span>
    </header>
  );
}
