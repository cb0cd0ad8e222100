import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Change } from '../address/change.js';
import { WINDOW } from '../data/first-views.js';
import { stepWindow } from '../data/queries.js';
import type { Skeleton } from '../live/fold.js';
import { formatBytes, formatCount, formatDuration, formatUsd, plural } from '../../../domain/text/format.js';
import { Empty } from '../parts/states.js';
import { Score } from '../parts/values.js';
import { type Found, useMarkedText } from './text-matches.js';
import { Rail } from './rail.js';
import { BADGES, seriesOf } from './skeleton.js';
import { StepBody } from './step-body.js';
import { useStepKeys } from './step-keys.js';
import { type Density, type StepPosition, useStepPosition } from './step-position.js';

interface ListProps {
  skeleton: Skeleton;
  /** Visible steps in order, and their places in the skeleton. */
  steps: readonly number[];
  places: readonly number[];
  density: Density;
  thoughts: boolean;
  live: boolean;
  step: number | undefined;
  find: string | undefined;
  found: Found;
  change: Change<'/runs/$id'>;
}

export function StepList(props: ListProps) {
  const { skeleton, steps, density, live, find, found, change } = props;
  const first = skeleton.columns.step[0] ?? 1;
  const position = useStepPosition({ steps, density, live, wanted: props.step, first, change });
  const { virtual, from, size, segment, current, go, follow, fresh, release } = position;
  const items = virtual.getVirtualItems();
  const firstSeen = steps[from + (items[0]?.index ?? 0)];
  const lastSeen = steps[from + (items.at(-1)?.index ?? 0)];
  useAround(skeleton, density === 'list' ? undefined : firstSeen, lastSeen);
  useMarkedText(position.scroller, find, `${firstSeen} ${lastSeen} ${position.height}`);
  useStepKeys({ ...props, position });
  if (steps.length === 0) return <Empty title="No step matches" />;
  return (
    <div className="steps">
      <Rail skeleton={skeleton} current={current} hits={found.steps} onGo={(step) => go(step, true)} />
      <div
        className="step-scroller"
        ref={position.scroller}
        onScroll={position.onScroll}
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
        <StepSpace {...props} position={position} />
        {segment < Math.ceil(steps.length / size) - 1 && (
          <SegmentLink to={segment + 1} size={size} steps={steps} onGo={go} />
        )}
      </div>
      {live && !follow && (
        <button type="button" className="chip" onClick={() => position.setFollow(true)}>
          {fresh > 0 ? plural(fresh, 'new step') : 'follow'} ↓
        </button>
      )}
    </div>
  );
}

/** Prefetches neighbours; aborts what was scrolled past. */
function useAround({ runId, columns }: Skeleton, first: number | undefined, last: number | undefined): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (first === undefined || last === undefined) return undefined;
    const timer = setTimeout(() => {
      for (const step of [first - 2 * WINDOW, first - WINDOW, last + WINDOW, last + 2 * WINDOW])
        if (step > 0 && step <= (columns.step.at(-1) ?? 0)) void queries.prefetchQuery(stepWindow(runId, step));
    }, 150);
    return () => clearTimeout(timer);
  }, [first, last, queries, runId, columns]);
}

function StepSpace({
  skeleton,
  steps,
  places,
  density,
  thoughts,
  change,
  position: { virtual, height, from, current, go },
}: ListProps & { position: StepPosition }) {
  const events = useMemo(() => {
    const found = new Map<number, { kind: string; at: string }[]>();
    for (const { step, kind, at } of skeleton.events) found.set(step, [...(found.get(step) ?? []), { kind, at }]);
    return found;
  }, [skeleton.events]);
  return (
    <div className="step-space" style={{ height }}>
      {virtual.getVirtualItems().map(({ key, index, start }) => {
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
              place={places[from + index]!}
              onGo={() => (density === 'list' ? change({ density: undefined, step }) : go(step))}
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
      {end ? '↑' : '↓'} steps {formatCount(first)} to {formatCount(last)}
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
      <span className="muted number wide-only">{formatBytes(columns.observationBytes[place])}</span>
      <span className="muted number wide-only">{formatDuration(columns.commandMs[place])}</span>
      <span className="muted number">{formatUsd(columns.costUsd[place])}</span>
    </header>
  );
}
