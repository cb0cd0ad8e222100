import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { document as asked, stepWindow } from '../data/queries.js';
import { useKeys } from '../keys/keys.js';
import type { Skeleton } from '../live/fold.js';
import { count, score as scoreText } from '../parts/format.js';
import { Empty, Shown } from '../parts/states.js';
import { Text, TextBlock } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { useSkeleton } from '../run/skeleton.js';

const PACES = [0.5, 1, 2, 4, 8, 16];
/** Lines of each pane at first. */
const PREVIEW_LINES = 200;

/** A run shown to others: thought, action and result side by side, at the pace at which it was played, bounded. */
export function PresentPage() {
  const { id } = useParams({ from: '/runs/$id/present' });
  const head = useQuery(asked('run', { id }, {}));
  const skeleton = useSkeleton(id);
  useTitle('Present');
  return (
    <Shown of={skeleton} what="the run" rows={12}>
      {(data) =>
        data.columns.step.length === 0 ? (
          <Empty title="This run has no steps">
            <p>
              <Link to="/runs/$id" params={{ id }}>
                Back to the run
              </Link>
            </p>
          </Empty>
        ) : (
          <Player
            id={id}
            skeleton={data}
            title={head.data === undefined ? '' : `${head.data.run.model} on ${head.data.taskName}`}
          />
        )
      }
    </Shown>
  );
}

function caption({ columns }: Skeleton, place: number): string {
  const category = columns.category[place] ?? '';
  const value = columns.score[place];
  const exit = columns.exitCode[place];
  if (value != null)
    return `${columns.requested[place] === 'submit' ? 'It submits' : 'It validates'}: ${scoreText(value)}`;
  if (exit != null && exit !== 0) return `${category}, which fails with ${exit}`;
  return category;
}

function Player({ id, skeleton, title }: { id: string; skeleton: Skeleton; title: string }) {
  const search = useSearch({ from: '/runs/$id/present' });
  const navigate = useNavigate({ from: '/runs/$id/present' });
  const queries = useQueryClient();
  const { columns } = skeleton;
  const [playing, setPlaying] = useState(false);
  const [loop, setLoop] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const pace = search.pace ?? 1;
  const found = search.step === undefined ? 0 : columns.step.indexOf(search.step);
  const place = Math.max(0, found);
  const step = columns.step[place]!;
  const last = columns.step.length - 1;
  const go = (to: number): void =>
    void navigate({
      search: (now) => ({ ...now, step: columns.step[Math.max(0, Math.min(last, to))]! }),
      replace: true,
    });
  const body = useQuery({
    ...stepWindow(id, step),
    select: ({ steps }) => steps.find((one) => one.step === step) ?? null,
  });
  useEffect(() => {
    if (place < last) void queries.prefetchQuery(stepWindow(id, columns.step[place + 1]!));
  }, [queries, id, columns, place, last]);
  useEffect(() => {
    if (!playing || body.data == null) return undefined;
    const recorded = place < last ? columns.at[place + 1]! - columns.at[place]! : 2_000;
    const timer = setTimeout(
      () => {
        if (place < last) go(place + 1);
        else if (loop) go(0);
        else setPlaying(false);
      },
      Math.max(500, Math.min(5_000, recorded / pace)),
    );
    return () => clearTimeout(timer);
  });
  useKeys('Present', [
    { keys: ' ', does: 'play or pause', run: () => setPlaying(!playing) },
    { keys: 'l', does: 'next step', run: () => go(place + 1) },
    { keys: 'h', does: 'step before', run: () => go(place - 1) },
    { keys: 'ArrowRight', does: 'next step', run: () => go(place + 1) },
    { keys: 'ArrowLeft', does: 'step before', run: () => go(place - 1) },
    {
      keys: 'p',
      does: 'back to the run',
      run: () => void navigate({ to: '/runs/$id', params: { id }, search: { step } }),
    },
  ]);
  const one = body.data;
  return (
    <div className="present" ref={box}>
      <div className="page-head">
        <h1>
          <Text value={title} />
        </h1>
        <span className="grow" />
        <button
          type="button"
          onClick={() =>
            void (document.fullscreenElement === null ? box.current?.requestFullscreen() : document.exitFullscreen())
          }
        >
          Full screen
        </button>
        <Link to="/runs/$id" params={{ id }} search={{ step }}>
          Back to the run
        </Link>
      </div>
      <p className="caption" role="status" aria-live="off">
        <strong>
          Step {step} of {columns.step[last]}
        </strong>{' '}
        · {caption(skeleton, place)}
      </p>
      <div className="present-panes">
        {(
          [
            ['Thought', one?.thought, 'text'],
            ['Action', one?.action, 'text'],
            ['Result', one?.observation, 'output'],
          ] as const
        ).map(([name, text, kind]) => (
          <section key={name} aria-label={name}>
            <h2>{name}</h2>
            {text == null ? (
              <p className="muted">{one === undefined ? '' : 'none'}</p>
            ) : (
              <>
                <TextBlock key={step} source={text.head} kind={kind} lines={PREVIEW_LINES} label={name} />
                {text.leftOut > 0 && <p className="cut">{count(text.leftOut)} characters are omitted here</p>}
                {text.tail !== '' && (
                  <TextBlock
                    key={`${step} end`}
                    source={text.tail}
                    kind={kind}
                    lines={PREVIEW_LINES}
                    label={`end of the ${name}`}
                  />
                )}
              </>
            )}
          </section>
        ))}
      </div>
      <div className="present-controls">
        <button type="button" className="primary" onClick={() => setPlaying(!playing)}>
          {playing ? '❚❚ pause' : '▶ play'}
        </button>
        <button type="button" onClick={() => go(place - 1)} disabled={place === 0} aria-label="step before">
          ‹
        </button>
        <input
          type="range"
          min={0}
          max={last}
          value={place}
          aria-label="Step"
          aria-valuetext={`step ${step}`}
          onChange={(event) => go(event.currentTarget.valueAsNumber)}
        />
        <button type="button" onClick={() => go(place + 1)} disabled={place === last} aria-label="next step">
          ›
        </button>
        <label>
          Pace{' '}
          <select
            value={pace}
            onChange={(event) =>
              void navigate({ search: (now) => ({ ...now, pace: Number(event.target.value) }), replace: true })
            }
          >
            {PACES.map((one_) => (
              <option key={one_} value={one_}>
                {one_}×
              </option>
            ))}
          </select>
        </label>
        <label>
          <input type="checkbox" checked={loop} onChange={(event) => setLoop(event.currentTarget.checked)} /> loop
        </label>
      </div>
    </div>
  );
}
