import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
} from '@tanstack/react-router';
import * as read from './address/pages.js';
import { parseSearch, printSearch } from './address/search-params.js';
import { BatchPage } from './batches/batch-page.js';
import { BatchesPage } from './batches/batches-page.js';
import { NowPage } from './pages/now-page.js';
import { Empty, Failure } from './parts/states.js';
import { RunPage } from './run/run-page.js';
import { RunsPage } from './runs/runs-page.js';
import { Layout } from './shell/layout.js';
import { isStatic } from './static/form.js';

const root = createRootRoute({
  component: Layout,
  errorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
  notFoundComponent: () => (
    <Empty title="Page not found">
      <p>
        <Link to="/">Back to the start</Link>
      </p>
    </Empty>
  ),
});
const at = { getParentRoute: () => root };

const now = createRoute({ ...at, path: '/', component: NowPage, validateSearch: read.readNothing });
const batches = createRoute({ ...at, path: '/batches', component: BatchesPage, validateSearch: read.readBatches });
const batch = createRoute({ ...at, path: '/batches/$id', component: BatchPage, validateSearch: read.readBatch });
const runs = createRoute({ ...at, path: '/runs', component: RunsPage, validateSearch: read.readRuns });
const run = createRoute({ ...at, path: '/runs/$id', component: RunPage, validateSearch: read.readRun });
const present = createRoute({
  ...at,
  path: '/runs/$id/present',
  validateSearch: read.readPresent,
  component: lazyRouteComponent(() => import('./pages/present-page.js'), 'PresentPage'),
});
const compare = createRoute({
  ...at,
  path: '/compare',
  validateSearch: read.readCompare,
  component: lazyRouteComponent(() => import('./pages/compare-page.js'), 'ComparePage'),
});
const leaderboard = createRoute({
  ...at,
  path: '/leaderboard',
  validateSearch: read.readLeaderboard,
  component: lazyRouteComponent(() => import('./leaderboard/leaderboard-page.js'), 'LeaderboardPage'),
});
const operations = createRoute({
  ...at,
  path: '/ops',
  validateSearch: read.readOperations,
  component: lazyRouteComponent(() => import('./pages/operations-page.js'), 'OperationsPage'),
});
const episodes = createRoute({
  ...at,
  path: '/episodes',
  validateSearch: read.readEpisodes,
  component: lazyRouteComponent(() => import('./figures/episodes-page.js'), 'EpisodesPage'),
});
const trend = createRoute({
  ...at,
  path: '/trend',
  validateSearch: read.readTrend,
  component: lazyRouteComponent(() => import('./figures/trend-page.js'), 'TrendPage'),
});
const integrity = createRoute({
  ...at,
  path: '/integrity',
  validateSearch: read.readIntegrity,
  component: lazyRouteComponent(() => import('./figures/integrity-page.js'), 'IntegrityPage'),
});
const subjects = () => import('./figures/subject-pages.js');
const nothing = { ...at, validateSearch: read.readNothing };
const tasks = createRoute({ ...nothing, path: '/tasks', component: lazyRouteComponent(subjects, 'TasksPage') });
const task = createRoute({ ...nothing, path: '/tasks/$name', component: lazyRouteComponent(subjects, 'TaskPage') });
const models = createRoute({ ...nothing, path: '/models', component: lazyRouteComponent(subjects, 'ModelsPage') });
const model = createRoute({ ...nothing, path: '/models/$name', component: lazyRouteComponent(subjects, 'ModelPage') });
const agents = createRoute({ ...nothing, path: '/agents', component: lazyRouteComponent(subjects, 'AgentsPage') });
const agent = createRoute({ ...nothing, path: '/agents/$name', component: lazyRouteComponent(subjects, 'AgentPage') });
const search = createRoute({
  ...at,
  path: '/search',
  validateSearch: read.readSearch,
  component: lazyRouteComponent(() => import('./search/search-page.js'), 'SearchPage'),
});
const sql = createRoute({
  ...at,
  path: '/sql',
  validateSearch: read.readSql,
  component: lazyRouteComponent(() => import('./sql/sql-page.js'), 'SqlPage'),
});

const play = createRoute({
  ...at,
  path: '/play',
  validateSearch: read.readPlay,
  component: lazyRouteComponent(() => import('./pages/play-page.js'), 'PlayPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    ...([now, batches, batch, runs, run, present, compare, leaderboard, operations, play, search, sql] as const),
    ...([episodes, integrity, trend, tasks, task, models, model, agents, agent] as const),
  ]),
  parseSearch,
  stringifySearch: printSearch,
  defaultPreload: false,
  // From disk, a page may only change the hash.
  ...(isStatic && { history: createHashHistory() }),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
