import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { fileBytes } from '../data/queries.js';
import { bytes as size, count, plural } from './format.js';
import { Failure } from './states.js';
import { textOf } from './file-text.js';
import { plainText, Text } from './text.js';
import type { Line } from '../workers/diff-lines.js';
import { offThread } from '../workers/off-thread.js';

/** Around a change. */
const CONTEXT = 3;
const MOST_LINES = 400;

/** What changed between two files that are known by their hashes. */
export function Diff({
  path,
  before,
  after,
  open = true,
}: {
  path: string;
  before: string | null;
  after: string | null;
  open?: boolean;
}) {
  const [shown, setShown] = useState(open);
  const old = useQuery({ ...fileBytes(before ?? ''), enabled: shown && before !== null });
  const fresh = useQuery({ ...fileBytes(after ?? ''), enabled: shown && after !== null });
  const [lines, setLines] = useState<Line[] | 'too much' | 'bytes' | null>(null);
  const [failed, setFailed] = useState<unknown>(null);
  const [all, setAll] = useState(false);
  const ready = (before === null || old.data !== undefined) && (after === null || fresh.data !== undefined);
  useEffect(() => {
    if (!shown || !ready) return undefined;
    let gone = false;
    const a = before === null ? '' : textOf(old.data!);
    const b = after === null ? '' : textOf(fresh.data!);
    if (a === null || b === null) {
      setLines('bytes');
      return undefined;
    }
    offThread('diffOf', a, b, CONTEXT).then(
      (found) => !gone && setLines(found ?? 'too much'),
      (error: unknown) => !gone && setFailed(error),
    );
    return () => {
      gone = true;
    };
  }, [shown, ready, before, after, old.data, fresh.data]);
  const error = old.error ?? fresh.error ?? failed;
  const counts = Array.isArray(lines)
    ? `+${count(lines.filter(({ kind }) => kind === 'added').length)} −${count(lines.filter(({ kind }) => kind === 'removed').length)}`
    : '';
  return (
    <details className="diff" open={shown} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        <code>
          <Text value={path} />
        </code>{' '}
        <span className="muted">
          {before === null ? 'new' : after === null ? 'gone' : 'changed'} {counts}
        </span>
      </summary>
      {error !== null ? (
        <Failure error={error} />
      ) : lines === null ? (
        <p className="muted">comparing…</p>
      ) : lines === 'bytes' ? (
        <p className="muted">
          Not text: {size(old.data?.length ?? 0)} before, {size(fresh.data?.length ?? 0)} now.
        </p>
      ) : lines === 'too much' ? (
        <p className="muted">The two differ too much to be compared line by line.</p>
      ) : (
        <>
          <pre tabIndex={0} role="region" aria-label={plainText(`changes of ${path}`)}>
            {(all ? lines : lines.slice(0, MOST_LINES)).map(({ kind, text }, i) =>
              kind === 'gap' ? (
                <span key={i} className="gap">
                  {text}
                  {'\n'}
                </span>
              ) : (
                <span key={i} className={kind}>
                  {kind === 'added' ? '+' : kind === 'removed' ? '−' : ' '} <Text value={text} />
                  {'\n'}
                </span>
              ),
            )}
          </pre>
          {!all && lines.length > MOST_LINES && (
            <button type="button" className="plain" onClick={() => setAll(true)}>
              show {plural(lines.length - MOST_LINES, 'more line')}
            </button>
          )}
        </>
      )}
    </details>
  );
}
