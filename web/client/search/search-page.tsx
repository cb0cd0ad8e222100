import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useChange } from '../address/change.js';
import { SEARCH_PLACES, type SearchPlace } from '../address/pages.js';
import { formatBytes, formatCount, formatPercent, plural } from '../../../domain/text/format.js';
import { Page } from '../parts/page.js';
import { Empty, Failure } from '../parts/states.js';
import { plainText, Text } from '../parts/text.js';
import { useTitle } from '../parts/title.js';
import { RunLink } from '../parts/values.js';
import { type Hit, type Search, useSearchStream } from './search-stream.js';

const PLACE_NAMES: Record<SearchPlace, string> = {
  thought: 'thoughts',
  action: 'actions',
  observation: 'observations',
  reply: 'whole replies',
  evaluation: 'evaluations',
  event: 'events',
  file: 'submitted files',
};
const USUAL: readonly SearchPlace[] = SEARCH_PLACES.filter((place) => place !== 'reply' && place !== 'file');
/** Of a run, and of runs, before more are requested. */
const FIRST_HITS = 5;
const FIRST_RUNS = 50;

export function SearchPage() {
  useTitle('Search');
  const { q, in: places = USUAL, ...filter } = useSearch({ from: '/search' });
  const found = useSearchStream(q === undefined ? null : { ...filter, q, in: [...places] });
  return (
    <Page title="Search">
      <SearchForm />
      <Places />
      <Narrowing />
      {q === undefined ? (
        <Empty title="No search yet">
          <p>
            Finds a text in thoughts, actions, observations, submitted files, evaluations and events: of all runs, or of
            the runs that pass the filters of the list.
          </p>
        </Empty>
      ) : (
        <>
          <Progress search={found} cancel={found.cancel} />
          {found.state === 'failed' && <Failure error={found.error} />}
          <Hits q={q} hits={found.hits} over={found.state !== 'running'} />
        </>
      )}
    </Page>
  );
}

function SearchForm() {
  const { q } = useSearch({ from: '/search' });
  const change = useChange('/search');
  return (
    <form
      className="search-form"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = new FormData(event.currentTarget).get('q');
        change({ q: typeof typed === 'string' && typed !== '' ? typed : undefined });
      }}
    >
      <input
        key={q ?? ''}
        name="q"
        type="search"
        data-search
        autoFocus
        spellCheck={false}
        maxLength={500}
        defaultValue={q}
        placeholder={'a text, "exactly this", or /a pattern/i'}
        aria-label="Text to find"
      />
      <button type="submit" className="primary">
        Search
      </button>
    </form>
  );
}

function Places() {
  const { in: places = USUAL } = useSearch({ from: '/search' });
  const change = useChange('/search');
  return (
    <fieldset className="search-places">
      <legend className="unseen">In</legend>
      {SEARCH_PLACES.map((place) => (
        <label key={place}>
          <input
            type="checkbox"
            checked={places.includes(place)}
            onChange={({ currentTarget: { checked } }) => {
              const next = SEARCH_PLACES.filter((one) => (one === place ? checked : places.includes(one)));
              change({ in: next.length === 0 || next.join() === USUAL.join() ? undefined : next });
            }}
          />
          {PLACE_NAMES[place]}
        </label>
      ))}
    </fieldset>
  );
}

function Narrowing() {
  const { q, in: _, ...filter } = useSearch({ from: '/search' });
  const navigate = useNavigate({ from: '/search' });
  const narrowed = Object.entries(filter);
  if (narrowed.length === 0) return null;
  return (
    <p className="muted">
      of runs with{' '}
      {narrowed.map(([name, value], i) => (
        <span key={name}>
          {i > 0 && ', '}
          {name} <Text value={[value].flat().join(' or ')} />
        </span>
      ))}{' '}
      <button type="button" className="plain" onClick={() => void navigate({ search: q === undefined ? {} : { q } })}>
        of all runs
      </button>
    </p>
  );
}

function Progress({ search: { state, progress, hits, more }, cancel }: { search: Search; cancel: () => void }) {
  if (progress === null && state !== 'running') return null;
  const runs = new Set(hits.map(({ runId }) => runId)).size;
  return (
    <div className="search-progress">
      <span role="status">
        {plural(hits.length, 'hit')} in {plural(runs, 'run')}
        {more && ', and more: narrow it down'}
      </span>
      <span className="muted">
        {progress === null
          ? ''
          : `${formatCount(progress.steps)} of ${plural(progress.totalSteps, 'step')} of ${plural(progress.totalRuns, 'run')}, ${formatBytes(progress.bytes)}`}
        {progress !== null &&
          progress.skipped > 0 &&
          `; ${plural(progress.skipped, 'step')} took too long and were skipped`}
      </span>
      {state === 'running' && (
        <>
          <progress
            aria-label="Searched"
            max={Math.max(1, progress?.totalSteps ?? 1)}
            value={progress?.steps ?? 0}
            title={progress === null ? '' : formatPercent(progress.steps / Math.max(1, progress.totalSteps))}
          />
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </>
      )}
      {state === 'cancelled' && <span className="muted">cancelled</span>}
    </div>
  );
}

function Hits({ q, hits, over }: { q: string; hits: readonly Hit[]; over: boolean }) {
  const [runsShown, setRunsShown] = useState(FIRST_RUNS);
  const runs = useMemo(() => {
    const by = new Map<string, Hit[]>();
    for (const hit of hits) by.set(hit.runId, [...(by.get(hit.runId) ?? []), hit]);
    return [...by.values()];
  }, [hits]);
  if (runs.length === 0) return over ? <Empty title="No run matches" /> : null;
  return (
    <>
      {runs.slice(0, runsShown).map((of) => (
        <RunHits key={of[0]!.runId} q={q} hits={of} />
      ))}
      {runs.length > runsShown && (
        <button type="button" onClick={() => setRunsShown(runsShown * 4)}>
          {plural(runs.length - runsShown, 'more run')}
        </button>
      )}
    </>
  );
}

function RunHits({ q, hits }: { q: string; hits: readonly Hit[] }) {
  const [all, setAll] = useState(false);
  const { runId, model, task, attempt } = hits[0]!;
  return (
    <section className="run-hits" aria-label={plainText(`Run ${runId}`)}>
      <h2>
        <RunLink id={runId}>
          <Text value={`${model} · ${task} · ${attempt}`} />
        </RunLink>{' '}
        <span className="muted">{plural(hits.length, 'hit')}</span>
      </h2>
      <ol>
        {hits.slice(0, all ? 1000 : FIRST_HITS).map((hit, i) => (
          <li key={i}>
            <Link
              to="/runs/$id"
              params={{ id: runId }}
              search={
                hit.step === null
                  ? { tab: 'events' }
                  : hit.path === null
                    ? { step: hit.step, find: q }
                    : { tab: 'files', step: hit.step, file: hit.path }
              }
              className="where"
            >
              {hit.step === null ? 'run' : `step ${hit.step}`}, {hit.path === null ? hit.in : <Text value={hit.path} />}
            </Link>
            {hit.excerpt !== null && (
              <span className="excerpt">
                {hit.excerpt.at > hit.excerpt.before.length && '…'}
                <Text value={hit.excerpt.before} />
                <mark>
                  <Text value={hit.excerpt.match} />
                </mark>
                <Text value={hit.excerpt.after} />
                {hit.excerpt.at + hit.excerpt.match.length + hit.excerpt.after.length < hit.excerpt.length && '…'}
              </span>
            )}
          </li>
        ))}
      </ol>
      {hits.length > FIRST_HITS && !all && (
        <button type="button" className="plain" onClick={() => setAll(true)}>
          {formatCount(hits.length - FIRST_HITS)} more here
        </button>
      )}
    </section>
  );
}
