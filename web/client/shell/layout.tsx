import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { commandOf } from '../address/command-of.js';
import { document as asked } from '../data/queries.js';
import { useKeys } from '../keys/keys.js';
import { useLiveState, useServicesLost } from '../live/live.js';
import { intoView } from '../parts/into-view.js';
import { useNow } from '../parts/clock.js';
import { ago } from '../parts/format.js';
import { isShown } from '../static/form.js';
import { KeyboardSheet } from './keyboard-sheet.js';
import { Palette } from './palette.js';
import { preferences, setPreferences, usePreferences } from './preferences.js';

const ALL_PAGES = [
  ['/', 'Now', 'o'],
  ['/batches', 'Batches', 'b'],
  ['/runs', 'Runs', 'r'],
  ['/search', 'Search', 'f'],
  ['/leaderboard', 'Leaderboard', 'l'],
  ['/compare', 'Compare', 'c'],
  ['/integrity', 'Integrity', 'i'],
  ['/tasks', 'Tasks', 't'],
  ['/episodes', 'Episodes', 'e'],
  ['/ops', 'Operations', 'p'],
  ['/sql', 'SQL', 's'],
] as const;
const PAGES = ALL_PAGES.filter(([to]) => isShown(to));

const SCHEMES = { system: 'light', light: 'dark', dark: 'system' } as const;
const SCHEME_MARKS = { system: '◐', light: '☀', dark: '☾' } as const;

const turnDensity = (): void =>
  setPreferences({ density: preferences().density === 'dense' ? 'comfortable' : 'dense' });

export function Layout() {
  const navigate = useNavigate();
  const [open, setOpen] = useState<'keys' | 'palette' | null>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useKeys('Everywhere', [
    { keys: '?', does: 'this sheet', run: () => setOpen('keys') },
    { keys: 'Ctrl-K', does: 'go to a batch, run or page', run: () => setOpen('palette') },
    {
      keys: '/',
      does: 'search on this page',
      run: () => globalThis.document.querySelector<HTMLElement>('[data-search]')?.focus(),
    },
    ...PAGES.map(([to, name, letter]) => ({ keys: `g ${letter}`, does: name, run: () => void navigate({ to }) })),
    { keys: 'y', does: 'copy the link', run: () => void navigator.clipboard?.writeText(location.href) },
    {
      keys: 'c',
      does: 'copy the command that shows this',
      run: () => void navigator.clipboard?.writeText(commandOf(location)),
    },
    { keys: 'z', does: 'density', run: turnDensity },
  ]);
  // After a change of page, focus its top rather than the navigation.
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    if (first.current) first.current = false;
    else main.current?.focus({ preventScroll: true });
    return intoView(nav.current, '[aria-current=page], .active');
  }, [path]);
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="top">
        <Link to="/" className="brand" aria-label="bench, to the start">
          bench
        </Link>
        <nav ref={nav} aria-label="Pages">
          {PAGES.map(([to, name]) => (
            <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }}>
              {name}
            </Link>
          ))}
        </nav>
        <Freshness />
        <button type="button" className="plain wide-only" onClick={() => setOpen('palette')} title="Go to… (Ctrl-K)">
          Go to…<kbd>Ctrl K</kbd>
        </button>
        <Preferences />
        <button
          type="button"
          className="plain icon wide-only"
          title="Keyboard (?)"
          aria-label="Keyboard"
          onClick={() => setOpen('keys')}
        >
          ?
        </button>
      </header>
      <ServicesLost />
      <main id="main" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      {open === 'keys' && <KeyboardSheet onClose={() => setOpen(null)} />}
      {open === 'palette' && <Palette onClose={() => setOpen(null)} pages={PAGES} />}
    </>
  );
}

function Preferences() {
  const { scheme, density } = usePreferences();
  return (
    <>
      <button
        type="button"
        className="plain icon"
        title={`Scheme: ${scheme}`}
        aria-label={`Scheme: ${scheme}`}
        onClick={() => setPreferences({ scheme: SCHEMES[scheme] })}
      >
        {SCHEME_MARKS[scheme]}
      </button>
      <button
        type="button"
        className="plain icon wide-only"
        title={`Density: ${density} (z)`}
        aria-label={`Density: ${density}`}
        onClick={turnDensity}
      >
        {density === 'dense' ? '≣' : '☰'}
      </button>
    </>
  );
}

function Freshness() {
  const live = useLiveState();
  const now = useNow();
  const { data } = useQuery(asked('me', {}, {}));
  const state =
    live.state === 'live'
      ? { mark: '●', tone: 'good', words: 'live' }
      : live.state === 'lost'
        ? { mark: '▲', tone: 'warn', words: `disconnected ${ago(new Date(live.since).toISOString(), now)}` }
        : { mark: '○', tone: 'quiet', words: live.state === 'connecting' ? 'connecting' : 'as loaded' };
  return (
    <span className="fresh">
      <span className={`badge ${state.tone}`} role="status">
        <span aria-hidden="true">{state.mark}</span>
        <span>{state.words}</span>
      </span>
      {data !== undefined && (data.readOnly || data.role === 'viewer') && (
        <span className="badge quiet">{data.readOnly ? 'read only' : 'viewer'}</span>
      )}
    </span>
  );
}

function ServicesLost() {
  const since = useServicesLost();
  const now = useNow();
  if (since === null) return null;
  return (
    <p className="banner" role="alert">
      Services do not answer since {ago(since, now).replace(' ago', '')}, trying. What is shown is what was known then.
    </p>
  );
}
