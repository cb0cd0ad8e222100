import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Answer } from '../../api/index.js';
import { useKeys } from '../keys/keys.js';
import type { Skeleton } from '../live/fold.js';
import { formatCount, formatScore, formatUsd } from '../../../domain/text/format.js';
import { Failure, Loading } from '../parts/states.js';
import { StepLink } from '../parts/values.js';
import { useSkeleton } from '../run/skeleton.js';
import { StepBody } from '../run/step-body.js';
import type { Aligned } from '../workers/align-steps.js';
import { offThread } from '../workers/off-thread.js';

type Run = Answer<'run'>['run'];
type Row = Aligned['rows'][number];

/** The steps of two runs side by side, once both are here and compared. */
function useAligned(a: Run, b: Run) {
  const first = useSkeleton(a.runId);
  const second = useSkeleton(b.runId);
  const [aligned, setAligned] = useState<Aligned | null>(null);
  const [failed, setFailed] = useState<unknown>(null);
  /** Steps that one has from the other. */
  const copied = a.forkedFrom === b.runId ? a.forkedAtStep : b.forkedFrom === a.runId ? b.forkedAtStep : null;
  useEffect(() => {
    if (first.data === undefined || second.data === undefined) return undefined;
    let gone = false;
    offThread('alignSteps', first.data.columns.category, second.data.columns.category, copied ?? 0).then(
      (found) => !gone && setAligned(found),
      (error: unknown) => !gone && setFailed(error),
    );
    return () => {
      gone = true;
    };
  }, [first.data, second.data, copied]);
  return { first: first.data, second: second.data, aligned, copied, error: first.error ?? second.error ?? failed };
}

/** Where the first two runs went different ways. */
export function CompareSteps({ runs, step }: { runs: readonly { run: Run }[]; step: number | undefined }) {
  const navigate = useNavigate({ from: '/compare' });
  const [a, b] = [runs[0]!.run, runs[1]!.run];
  const { first, second, aligned, copied, error } = useAligned(a, b);
  const rows = aligned?.rows ?? [];
  const parted = rows.findIndex(({ kind }) => kind !== 'same');
  const at = step ?? Math.max(0, parted);
  const go = (to: number): void => void navigate({ search: (now) => ({ ...now, step: to }), replace: true });
  const next = (by: 1 | -1): void => {
    for (let i = at + by; i >= 0 && i < rows.length; i += by) if (rows[i]!.kind !== 'same') return go(i);
  };
  useKeys('Compare', [
    { keys: ']', does: 'next difference', run: () => next(1) },
    { keys: '[', does: 'difference before', run: () => next(-1) },
    { keys: 'l', does: 'next row', run: () => go(Math.min((aligned?.rows.length ?? 1) - 1, at + 1)) },
    { keys: 'h', does: 'row before', run: () => go(Math.max(0, at - 1)) },
  ]);
  if (error !== null) return <Failure error={error} />;
  if (aligned === null || first === undefined || second === undefined) return <Loading what="steps" />;
  const chosen = rows[at];
  return (
    <>
      <h2>Steps of A and B</h2>
      <p>
        {divergence(rows, parted)}{' '}
        <span className="muted">
          Aligned {copied === null ? '' : `exactly up to step ${copied} (a fork), then `}by {aligned.by}.
        </span>{' '}
        <button type="button" onClick={() => next(-1)}>
          ‹ difference
        </button>{' '}
        <button type="button" onClick={() => next(1)}>
          difference ›
        </button>
      </p>
      <div className="compare">
        <AlignedRows rows={rows} at={at} first={first} second={second} onGo={go} />
        {chosen !== undefined && (
          <div className="pair">
            <Side name="A" id={a.runId} place={chosen.a} skeleton={first} />
            <Side name="B" id={b.runId} place={chosen.b} skeleton={second} />
          </div>
        )}
      </div>
    </>
  );
}

function divergence(rows: readonly Row[], parted: number): string {
  if (parted === -1) return 'Their steps are of the same kinds throughout.';
  const { a, b } = rows[parted]!;
  return `First divergence: row ${parted + 1}${a === null ? '' : `, step ${a + 1} of A`}${b === null ? '' : `, step ${b + 1} of B`}.`;
}

function AlignedRows({
  rows,
  at,
  first,
  second,
  onGo,
}: {
  rows: readonly Row[];
  at: number;
  first: Skeleton;
  second: Skeleton;
  onGo: (row: number) => void;
}) {
  const [most, setMost] = useState(200);
  return (
    <ol className="aligned" aria-label="Aligned steps">
      {rows.slice(0, most).map(({ a, b, kind }, i) => (
        <li key={i} className={kind}>
          <button type="button" className="plain" aria-pressed={i === at} onClick={() => onGo(i)}>
            <span className="number">{a === null ? '·' : a + 1}</span>
            <span className="number">{b === null ? '·' : b + 1}</span>
            <span>
              {a === null ? '—' : first.columns.category[a]}
              {kind === 'same' ? '' : ` | ${b === null ? '—' : (second.columns.category[b] ?? '')}`}
            </span>
            <span className="muted number">
              {[a === null ? null : first.columns.score[a], b === null ? null : second.columns.score[b]]
                .flatMap((one) => (one == null ? [] : [formatScore(one)]))
                .join(' | ')}
            </span>
          </button>
        </li>
      ))}
      {rows.length > most && (
        <li>
          <button type="button" onClick={() => setMost(most + 1000)}>
            {formatCount(rows.length - most)} more rows
          </button>
        </li>
      )}
    </ol>
  );
}

function Side({
  name,
  id,
  place,
  skeleton: { columns },
}: {
  name: string;
  id: string;
  place: number | null;
  skeleton: Skeleton;
}) {
  const step = place === null ? undefined : columns.step[place]!;
  return (
    <section aria-label={`Step of ${name}`}>
      {place === null || step === undefined ? (
        <p className="muted">{name} has no such step here.</p>
      ) : (
        <>
          <h3>
            {name}, step{' '}
            <StepLink id={id} step={step}>
              {step}
            </StepLink>{' '}
            <span className="muted">
              {columns.category[place]}, {formatUsd(columns.costUsd[place])}
            </span>
          </h3>
          <StepBody id={id} step={step} density="reading" thoughts events={[]} />
        </>
      )}
    </section>
  );
}
