import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Answer } from '../../api/index.js';
import { addressOf, PATHS, send } from '../data/ask.js';
import { document as asked } from '../data/queries.js';
import { useNow } from '../parts/clock.js';
import { Choice } from '../parts/fields.js';
import { Empty, Failure, Shown } from '../parts/states.js';
import { useTitle } from '../parts/title.js';
import { QueryBox, type QueryBoxHandle } from './query-box.js';
import { QueryResult } from './result.js';
import { SchemaList } from './schema-list.js';

type Outcome =
  | { state: 'none' }
  | { state: 'running'; since: number }
  | { state: 'found'; result: Answer<'sql'>; ms: number }
  | { state: 'failed'; error: unknown }
  | { state: 'cancelled' };

const LIMITS = [30, 60, 120, 300];

/** Runs one query at a time; leaving the page cancels it in the database. */
function useQueryRun() {
  const navigate = useNavigate({ from: '/sql' });
  const [outcome, setOutcome] = useState<Outcome>({ state: 'none' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const run = (query: string, limit: number): void => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    const since = Date.now();
    setOutcome({ state: 'running', since });
    void navigate({ search: (now) => (now.q === query ? now : { q: query }), replace: true });
    send(addressOf(PATHS.sql, {}, {}), {
      method: 'POST',
      body: JSON.stringify({ query, timeout: limit }),
      headers: { 'content-type': 'application/json' },
      signal: own.signal,
    })
      .then(async (response) => (await response.json()) as Answer<'sql'>)
      .then(
        (result) => !own.signal.aborted && setOutcome({ state: 'found', result, ms: Date.now() - since }),
        (error: unknown) => !own.signal.aborted && setOutcome({ state: 'failed', error }),
      );
  };
  const cancel = (): void => {
    running.current?.abort();
    setOutcome({ state: 'cancelled' });
  };
  return { outcome, run, cancel };
}

export function SqlPage() {
  useTitle('SQL');
  const { q = '' } = useSearch({ from: '/sql' });
  const schema = useQuery({ ...asked('sqlSchema', {}, {}), staleTime: 60_000 });
  const [text, setText] = useState(q);
  const [limit, setLimit] = useState(LIMITS[0]!);
  const box = useRef<QueryBoxHandle>(null);
  const shownQuery = useRef(q);
  // The address has another query: show it without running.
  useEffect(() => {
    if (q === shownQuery.current) return;
    shownQuery.current = q;
    box.current?.set(q);
    setText(q);
  }, [q]);
  const { outcome, run, cancel } = useQueryRun();
  const go = (): void => {
    const query = text.trim();
    if (query === '') return;
    shownQuery.current = query;
    run(query, limit);
  };
  return (
    <div className="split sql-page">
      <aside aria-label="Schema">
        <details className="aside-fold" open={window.innerWidth > 900}>
          <summary>Schema</summary>
          <Shown of={schema} what="the schema" rows={12}>
            {(known) => (
              <SchemaList
                schema={known}
                onExample={(sql) => box.current?.set(sql)}
                onName={(name) => box.current?.insert(name)}
              />
            )}
          </Shown>
        </details>
      </aside>
      <section className="fill">
        <div className="page-head">
          <h1>SQL</h1>
          <span className="muted">one SELECT; it can change nothing</span>
          <span className="grow" />
          <Choice
            label="at most"
            value={limit}
            options={LIMITS.map((seconds) => [seconds, `${seconds} s`] as const)}
            onChange={setLimit}
          />
          {outcome.state === 'running' && (
            <button type="button" onClick={cancel}>
              Cancel
            </button>
          )}
          <button
            type="button"
            className="primary"
            disabled={text.trim() === '' || outcome.state === 'running'}
            onClick={go}
          >
            Run <kbd>Ctrl Enter</kbd>
          </button>
        </div>
        <QueryBox text={text} schema={schema.data} onChange={setText} onRun={go} handle={box} />
        <Found of={outcome} fresh={q === ''} retry={go} />
      </section>
    </div>
  );
}

function Running({ since }: { since: number }) {
  const now = useNow();
  return (
    <div className="state" role="status">
      <p className="state-title">runs for {Math.max(0, Math.round((now - since) / 1000))} s</p>
    </div>
  );
}

function Found({ of, fresh, retry }: { of: Outcome; fresh: boolean; retry: () => void }) {
  switch (of.state) {
    case 'running':
      return <Running since={of.since} />;
    case 'failed':
      return <Failure error={of.error} retry={retry} />;
    case 'cancelled':
      return <Empty title="Cancelled, also in the database" />;
    case 'found':
      return <QueryResult result={of.result} ms={of.ms} />;
    case 'none':
      return fresh ? (
        <Empty title="No query yet">
          <p>Choose an example, or write your own query.</p>
        </Empty>
      ) : (
        <Empty title="The query of this link has not run">
          <p>Read it, then run it.</p>
        </Empty>
      );
  }
}
