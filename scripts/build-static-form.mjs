// The page as `bench page export` writes it: one script that is no module, since browsers load no modules from disk, in dist/web/static/.
// What talks to the server has a file in web/client/static/ that takes its place.
import { mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { build } from 'esbuild';

const OUT = 'dist/web/static';
const ROOM = resolve('web/client');
/** Each file below web/client/, and what takes its place. */
const PLACES = new Map(
  Object.entries({
    'data/ask': 'static/ask.ts',
    'data/token': 'static/token.ts',
    'live/live': 'static/live.ts',
    'workers/off-thread': 'static/off-thread.ts',
    'trusted-types': 'static/trusted-types.ts',
    'pages/now-page': 'static/start-page.tsx',
  }).map(([from, to]) => [resolve(ROOM, from), resolve(ROOM, to)]),
);

const places = {
  name: 'places',
  setup({ onResolve }) {
    onResolve({ filter: /^\..*\.js$/ }, ({ path, importer, resolveDir }) => {
      // Those that take a place may build upon what was there.
      if (basename(dirname(importer)) === 'static') return undefined;
      const found = PLACES.get(resolve(resolveDir, path.replace(/\.js$/, '')));
      return found === undefined ? undefined : { path: found };
    });
  },
};

export async function buildStaticForm(tokens) {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  await build({
    entryPoints: { page: 'web/client/main.tsx', style: 'web/client/style.css' },
    outdir: OUT,
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome120', 'firefox120', 'safari17'],
    jsx: 'automatic',
    minify: true,
    charset: 'ascii',
    define: { 'process.env.NODE_ENV': '"production"', STATIC: 'true' },
    tsconfig: 'web/client/tsconfig.json',
    plugins: [places, tokens],
    logLevel: 'warning',
  });
}
