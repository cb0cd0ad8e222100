import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldSteps, hasGap, type Skeleton } from '../../../../web/client/live/fold.js';
import { takeMessages } from '../../../../web/client/live/messages.js';

fc.configureGlobal({ seed: 5 });

/** A run as the server has it after so many changes: each adds a step, or ends one that runs. */
function columnsOf(scores: readonly number[]): Skeleton['columns'] {
  const each = <Value>(value: (step: number) => Value): Value[] => scores.map((_, i) => value(i + 1));
  return {
    step: each((step) => step),
    at: each((step) => step * 1000),
    category: each(() => 'Bash'),
    exitCode: each((step) => step % 3),
    badges: each((step) => (step === scores.length ? 8 : 0)),
    requested: each(() => null),
    ...{ thoughtBytes: each(() => 1), actionBytes: each(() => 1), observationBytes: each((step) => step) },
    ...{ outputBytes: each(() => null), modelMs: each(() => 1), commandMs: each(() => 1) },
    costUsd: each(() => '0.1'),
    tokens: each(() => 1),
    score: [...scores],
  };
}
const skeleton = (scores: readonly number[]): Skeleton => ({
  ...{
    runId: 'r-1',
    status: 'running',
    total: scores.length,
    evaluations: [],
    flags: [],
    events: [],
    forks: [],
    next: null,
  },
  columns: columnsOf(scores),
});
const part = ({ columns, total }: Skeleton, places: readonly number[]) => ({
  ...{ topic: 'run:r-1', runId: 'r-1', total },
  columns: Object.fromEntries(
    Object.entries(columns).map(([name, values]) => [name, places.map((place) => (values as unknown[])[place])]),
  ) as unknown as Skeleton['columns'],
});

describe('steps that come while a run is watched', () => {
  it('in any order, twice, in parts: either the whole of what the server has, or known to be incomplete', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 0, max: 8 }),
        fc.array(fc.array(fc.nat(30), { maxLength: 6 }), { maxLength: 12 }),
        (known, more, messages) => {
          const now = skeleton(Array.from({ length: known + more }, (_, i) => i));
          let seen = skeleton(Array.from({ length: known }, (_, i) => i));
          for (const picked of messages)
            seen = foldSteps(
              seen,
              part(
                now,
                picked.filter((place) => place < known + more),
              ),
            );
          expect(seen.columns.step).toEqual(seen.columns.step.map((_, i) => i + 1));
          for (const values of Object.values(seen.columns)) expect(values).toHaveLength(seen.columns.step.length);
          const whole = seen.columns.step.length === known + more;
          expect(messages.length > 0 && !whole ? hasGap(seen) : true).toBe(true);
          const all = foldSteps(
            seen,
            part(
              now,
              now.columns.step.map((_, i) => i),
            ),
          );
          expect(all.columns).toEqual(now.columns);
          expect(
            foldSteps(
              all,
              part(
                now,
                now.columns.step.map((_, i) => i),
              ),
            ),
          ).toEqual(all);
        },
      ),
    );
  });
});

describe('a stream of events', () => {
  it('is the same messages, however it is cut', () => {
    const text =
      ': hello\n\nid: 5\nevent: runs\ndata: {"a":1}\n\nevent: output\r\ndata: {"t":\ndata: "x"}\r\n\r\n:\n\nid: 6\nevent: gap\ndata: {}\n\n';
    const whole = takeMessages(text).messages;
    expect(whole).toEqual([
      { event: 'runs', data: '{"a":1}', id: '5' },
      { event: 'output', data: '{"t":\n"x"}', id: null },
      { event: 'gap', data: '{}', id: '6' },
    ]);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 10 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        let rest = '';
        const messages = places.slice(1).flatMap((to, i) => {
          const taken = takeMessages(rest + text.slice(places[i], to));
          rest = taken.rest;
          return taken.messages;
        });
        expect(messages).toEqual(whole);
        expect(rest).toBe('');
      }),
    );
  });
});
