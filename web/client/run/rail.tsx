import { useEffect, useRef } from 'react';
import { usePreferences } from '../shell/preferences.js';
import type { Skeleton } from '../live/fold.js';
import { BADGES, isError, seriesOf } from './skeleton.js';

const WIDTH = 44;

/** All steps from top to bottom: kinds, errors, scores, flags, events, forks. Click or drag. */
export function Rail({
  skeleton,
  current,
  hits,
  onGo,
}: {
  skeleton: Skeleton;
  current: number;
  /** Steps that match the search. */
  hits: readonly number[];
  onGo: (step: number) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { scheme } = usePreferences();
  const total = skeleton.columns.step.length;
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const redraw = (): void => draw(element, skeleton, current, hits);
    const observer = new ResizeObserver(redraw);
    observer.observe(element);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', redraw);
    redraw();
    return () => {
      observer.disconnect();
      dark.removeEventListener('change', redraw);
    };
  }, [skeleton, current, hits, scheme]);
  const go = (event: React.PointerEvent<HTMLCanvasElement>): void => {
    const { top, height } = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientY - top) / height) * total);
    const step = skeleton.columns.step[Math.max(0, Math.min(total - 1, place))];
    if (step !== undefined) onGo(step);
  };
  const last = skeleton.columns.step.at(-1) ?? 0;
  const place = skeleton.columns.step.indexOf(current);
  const score = skeleton.columns.score[place];
  return (
    <canvas
      ref={canvas}
      className="rail"
      role="slider"
      tabIndex={0}
      aria-label="Steps of the run"
      aria-orientation="vertical"
      aria-valuemin={skeleton.columns.step[0] ?? 0}
      aria-valuemax={last}
      aria-valuenow={current}
      aria-valuetext={`step ${current} of ${last}, ${skeleton.columns.category[place] ?? ''}${score == null ? '' : `, score ${score}`}`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) go(event);
      }}
      onKeyDown={(event) => {
        const by = {
          ArrowDown: 1,
          ArrowRight: 1,
          ArrowUp: -1,
          ArrowLeft: -1,
          PageDown: 20,
          PageUp: -20,
          Home: -Infinity,
          End: Infinity,
        }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        const next = skeleton.columns.step[Math.max(0, Math.min(total - 1, place + by))];
        if (next !== undefined) onGo(next);
      }}
    />
  );
}

function draw(
  canvas: HTMLCanvasElement,
  { columns, flags, events, forks }: Skeleton,
  current: number,
  hits: readonly number[],
): void {
  const ratio = window.devicePixelRatio || 1;
  const height = canvas.clientHeight;
  canvas.width = WIDTH * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext('2d');
  const total = columns.step.length;
  if (context === null || total === 0 || height === 0) return;
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const color = (name: string): string => style.getPropertyValue(`--${name}`);
  const colors = Array.from({ length: 8 }, (_, i) => color(`series-${i}`));
  context.fillStyle = color('box');
  context.fillRect(0, 0, WIDTH, height);
  const size = height / total;
  // Where steps share a pixel, the important ones are drawn last.
  context.globalAlpha = 0.55;
  for (let i = 0, drawn = -1; i < total; i++) {
    const top = Math.floor(i * size);
    if (top === drawn) continue;
    drawn = top;
    context.fillStyle = colors[seriesOf(columns.category[i]!)]!;
    context.fillRect(12, top, 14, Math.max(1, Math.floor((i + 1) * size) - top - (size > 4 ? 1 : 0)));
  }
  context.globalAlpha = 1;
  const tick = (place: number, x: number, width: number, fill: string, least: number): void => {
    context.fillStyle = fill;
    context.fillRect(x, Math.round(place * size), width, Math.max(least, Math.min(6, size - 1)));
  };
  for (let i = 0; i < total; i++) if ((columns.badges[i]! & BADGES.copied) !== 0) tick(i, 26, 2, color('axis'), 1);
  for (let i = 0; i < total; i++) if (isError(columns, i)) tick(i, 2, 8, colors[1]!, 1.5);
  const places = new Map(columns.step.map((step, i) => [step, i]));
  for (const { step } of events) tick(places.get(step) ?? 0, 2, 4, colors[4]!, 2);
  for (const { step } of forks) tick(places.get(step) ?? 0, 38, 5, colors[3]!, 2);
  for (const { step } of flags) if (step !== null) tick(places.get(step) ?? 0, 0, 3, colors[6]!, 4);
  for (const step of hits) tick(places.get(step) ?? 0, 34, WIDTH - 34, color('warn'), 2);
  const scored = columns.score.flatMap((score, i) => (score === null ? [] : [{ score, i }]));
  const low = Math.min(...scored.map(({ score }) => score));
  const span = Math.max(...scored.map(({ score }) => score)) - low;
  for (const { score, i } of scored) {
    const y = (i + 0.5) * size;
    const share = span === 0 ? 0.5 : (score - low) / span;
    context.fillStyle = colors[2]!;
    context.beginPath();
    context.arc(30 + share * 10, y, 2.5, 0, 7);
    context.fill();
  }
  const place = places.get(current);
  if (place !== undefined) {
    context.strokeStyle = color('ink');
    context.lineWidth = 1.5;
    context.strokeRect(
      0.75,
      Math.max(0.75, Math.min(height - 5, place * size - 1)),
      WIDTH - 1.5,
      Math.max(4, size + 2),
    );
  }
}
