import { formatCount, plural } from '../../../domain/text/format.js';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { fileBytes } from '../data/queries.js';
import { formatBytes } from '../../../domain/text/format.js';
import { Failure } from './states.js';
import { textOf } from './file-text.js';
import { plainText, Text } from './text.js';
import type { Line } from '../workers/diff-lines.js';
import { offThread } from '../workers/off-thread.js';

const CONTEXT = 3;
const MOST_LINES = 400;

interface Compared {
  path: string;
  before: string | null;
  after: string | null;
}

interface Known {
  path: string;
  sha256: string;
}

/** Differing files of two sets; up to `most` are open. */
export function ChangedFiles({
  before,
  after,
  most = Infinity,
  none,
}: {
  before: readonly Known[];
  after: readonly Known[];
  most?: number;
  none?: string | undefined;
}) {
  const [old, fresh] = [before, after].map((files) => new Map(files.map(({ path, sha256 }) => [path, sha256])));
  const changed = [...new Set([...old!.keys(), ...fresh!.keys()])]
    .filter((path) => old!.get(path) !== fresh!.get(path))
    .sort();
  if (changed.length === 0) return none !== undefined && <p className="muted">{none}</p>;
  return changed.map((path) => (
    <Diff
      key={path}
      path={path}
      before={old!.get(path) ?? null}
      after={fresh!.get(path) ?? null}
      open={changed.length <= most}
    />
  ));
}

function useDiff({ before, after }: Compared, shown: boolean) {
  const old = useQuery({ ...fileBytes(before ?? ''), enabled: shown && before !== null });
  const fresh = useQuery({ ...fileBytes(after ?? ''), enabled: shown && after !== null });
  const [lines, setLines] = useState<Line[] | 'too much' | 'bytes' | null>(null);
  const [failed, setFailed] = useState<unknown>(null);
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
  return { lines, error: old.error ?? fresh.error ?? failed, sizes: [old, fresh].map(({ data }) => data?.length ?? 0) };
}

const marked = (lines: readonly Line[], sort: Line['kind']): string =>
  formatCount(lines.filter(({ kind }) => kind === sort).length);

function Diff({ open = true, ...files }: Compared & { open?: boolean }) {
  const { path, before, after } = files;
  const [shown, setShown] = useState(open);
  const { lines, error, sizes } = useDiff(files, shown);
  return (
    <details className="diff" open={shown} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        <code>
          <Text value={path} />
        </code>{' '}
        <span className="muted">
          {before === null ? 'new' : after === null ? 'gone' : 'changed'}{' '}
          {Array.isArray(lines) && `+${marked(lines, 'added')} −${marked(lines, 'removed')}`}
        </span>
      </summary>
      {error !== null ? (
        <Failure error={error} />
      ) : lines === null ? (
        <p className="muted">comparing…</p>
      ) : lines === 'bytes' ? (
        <p className="muted">
          Not text: {formatBytes(sizes[0])} before, {formatBytes(sizes[1])} now.
        </p>
      ) : lines === 'too much' ? (
        <p className="muted">The two differ too much to be compared line by line.</p>
      ) : (
        <Lines path={path} lines={lines} />
      )}
    </details>
  );
}

const SIGNS = { added: '+', removed: '−', same: ' ' } as const;

function Lines({ path, lines }: { path: string; lines: readonly Line[] }) {
  const [all, setAll] = useState(false);
  return (
    <>
      <pre tabIndex={0} role="region" aria-label={plainText(`changes of ${path}`)}>
        {(all ? lines : lines.slice(0, MOST_LINES)).map(({ kind, text }, i) => (
          <span key={i} className={kind}>
            {kind === 'gap' ? (
              text
            ) : (
              <>
                {SIGNS[kind]} <Text value={text} />
              </>
            )}
            {'\n'}
          </span>
        ))}
      </pre>
      {!all && lines.length > MOST_LINES && (
        <button type="button" className="plain" onClick={() => setAll(true)}>
          show {plural(lines.length - MOST_LINES, 'more line')}
        </button>
      )}
    </>
  );
}
