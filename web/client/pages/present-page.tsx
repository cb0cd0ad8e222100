import { formatCount } from '../../../domain/text/format.js';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Answer } from '../../api/index.js';
import { useChange } from '../address/change.js';
import { document as asked, stepWindow } from '../data/queries.js';
import { useKeys } from '../keys/keys.js';
import type { Skeleton } from '../live/fold.js';
import { Checkbox, Choice } from '../parts/fields.js';
import { formatScore } from '../../../domain/text/format.js';
import { Empty, Shown } from '../parts/states.js';
import { Text, TextBlock } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { StepLink } from '../parts/values.js';
import { useSkeleton } from '../run/skeleton.js';

const PACES = [0.5, 1, 2, 4, 8, 16].map((pace) => [pace, `${pace}×`] as const);
const PREVIEW_LINES = 200;

/** A run for an audience: thought, action and result side by side, at the run's pace. */
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
    return `${columns.requested[place] === 'submit' ? 'It submits' : 'It validates'}: ${formatScore(value)}`;
  if (exit != null && exit !== 0) return `${category}, which fails with ${exit}`;
  return category;
}

function usePlace(id: string, { columns }: Skeleton) {
  const queries = useQueryClient();
  const search = useSearch({ from: '/runs/$id/present' });
  const change = useChange('/runs/$id/present');
  const last = columns.step.length - 1;
  const place = search.step === undefined ? 0 : Math.max(0, columns.step.indexOf(search.step));
  useEffect(() => {
    if (place < last) void queries.prefetchQuery(stepWindow(id, columns.step[place + 1]!));
  }, [queries, id, columns, place, last]);
  const go = (to: number): void => change({ step: columns.step[Math.max(0, Math.min(last, to))]! }, true);
  return { place, last, step: columns.step[place]!, go };
}
type Place = ReturnType<typeof usePlace>;

/** Shows each step as long as it took, within bounds, once it is loaded. */
function usePlaying({ columns: { at } }: Skeleton, { place, last, go }: Place, pace: number, ready: boolean) {
  const [playing, setPlaying] = useState(false);
  const [loop, setLoop] = useState(false);
  useEffect(() => {
    if (!playing || !ready) return undefined;
    const recorded = place < last ? at[place + 1]! - at[place]! : 2_000;
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
  return { playing, turn: () => setPlaying(!playing), loop, setLoop };
}

function Player({ id, skeleton, title }: { id: string; skeleton: Skeleton; title: string }) {
  const { pace = 1 } = useSearch({ from: '/runs/$id/present' });
  const navigate = useNavigate({ from: '/runs/$id/present' });
  const box = useRef<HTMLDivElement>(null);
  const at = usePlace(id, skeleton);
  const { step, place, go } = at;
  const body = useQuery({
    ...stepWindow(id, step),
    select: ({ steps }) => steps.find((one) => one.step === step) ?? null,
  });
  const playing = usePlaying(skeleton, at, pace, body.data != null);
  useKeys('Present', [
    { keys: ' ', does: 'play or pause', run: playing.turn },
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
        <StepLink id={id} step={step}>
          Back to the run
        </StepLink>
      </div>
      <p className="caption" role="status" aria-live="off">
        <strong>
          Step {step} of {skeleton.columns.step[at.last]}
        </strong>{' '}
        · {caption(skeleton, place)}
      </p>
      <div className="present-panes">
        <Pane name="Thought" of={body.data} text={body.data?.thought} kind="text" />
        <Pane name="Action" of={body.data} text={body.data?.action} kind="text" />
        <Pane name="Result" of={body.data} text={body.data?.observation} kind="output" />
      </div>
      <PlayerControls at={at} pace={pace} playing={playing} />
    </div>
  );
}

type Step = Answer<'steps'>['steps'][number];

/** `of` is undefined until the step is loaded. */
function Pane({
  name,
  of,
  text,
  kind,
}: {
  name: string;
  of: Step | null | undefined;
  text: Step['observation'] | undefined;
  kind: 'text' | 'output';
}) {
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      {text == null ? (
        <p className="muted">{of === undefined ? '' : 'none'}</p>
      ) : (
        <>
          <TextBlock key={of?.step} source={text.head} kind={kind} lines={PREVIEW_LINES} label={name} />
          {text.omitted > 0 && <p className="cut">{formatCount(text.omitted)} characters are omitted here</p>}
          {text.tail !== '' && (
            <TextBlock
              key={`${of?.step} end`}
              source={text.tail}
              kind={kind}
              lines={PREVIEW_LINES}
              label={`end of the ${name}`}
            />
          )}
        </>
      )}
    </section>
  );
}

function PlayerControls({
  at: { place, last, step, go },
  pace,
  playing: { playing, turn, loop, setLoop },
}: {
  at: Place;
  pace: number;
  playing: ReturnType<typeof usePlaying>;
}) {
  const change = useChange('/runs/$id/present');
  return (
    <div className="present-controls">
      <button type="button" className="primary" onClick={turn}>
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
      <Choice label="Pace" value={pace} options={PACES} onChange={(one) => change({ pace: one }, true)} />
      <Checkbox checked={loop} onChange={setLoop}>
        loop
      </Checkbox>
    </div>
  );
}
