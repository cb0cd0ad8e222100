// The page of `bench serve`: web/client/ as split, hashed ES modules and one style sheet in dist/web/client/. What a first visit loads has a
// budget, since a page that people open a hundred times a day must not grow unseen: the build fails over it.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { buildStaticForm } from './build-static-form.mjs';

const OUT = 'dist/web/client';
const ENTRY = 'web/client/main.tsx';
const STYLE = 'web/client/style.css';
const EARLY = 'web/client/early-asks.ts';
const WORKER = 'web/client/workers/worker.ts';
/** Bytes, gzipped; `npm run build` names what is over. */
const BUDGETS = {
  'first page, scripts': 190 * 1024,
  'first page, styles': 15 * 1024,
  'charts, later': 240 * 1024,
  'SQL editor, later': 130 * 1024,
};
const MOST_REQUESTS = 6;
const CHARTS = 'web/client/parts/draw-chart.ts';
const EDITOR = 'web/client/sql/editor.ts';

/** `@import 'palette'`: the colours of web/client/palette.ts as variables of both schemes. */
const tokens = {
  name: 'palette',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^palette$/ }, () => ({ path: 'palette', namespace: 'palette' }));
    onLoad({ filter: /.*/, namespace: 'palette' }, async () => {
      const source = await build({
        entryPoints: ['web/client/palette.ts'],
        bundle: true,
        format: 'esm',
        write: false,
        platform: 'neutral',
      });
      const url = `data:text/javascript;base64,${Buffer.from(source.outputFiles[0].text).toString('base64')}`;
      const { LIGHT, DARK } = await import(url);
      if (LIGHT === undefined || DARK === undefined) throw new Error('web/client/palette.ts: no LIGHT or no DARK');
      const contents = [
        `:root { color-scheme: light dark; ${LIGHT} }`,
        `@media (prefers-color-scheme: dark) { :root:not([data-scheme=light]) { ${DARK} } }`,
        `:root[data-scheme=dark] { color-scheme: dark; ${DARK} }`,
        ':root[data-scheme=light] { color-scheme: light; }',
      ];
      return { contents: contents.join('\n'), loader: 'css' };
    });
  },
};

/**
 * Parts that come later share modules with the first page, each other ones, and every set of sharers would be a file of its own. So each part
 * imports the whole first page, which is there already: what they share is then one file.
 */
const FIRST = resolve('web/client/router.tsx');
const oneFirstPage = {
  name: 'one-first-page',
  setup({ onResolve, onLoad }) {
    const later = new Set();
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const source = resolve(resolveDir, path).replace(/\.js$/, '');
      later.add([`${source}.tsx`, `${source}.ts`].find((one) => existsSync(one)));
      return undefined;
    });
    onLoad({ filter: /\.tsx?$/ }, ({ path }) =>
      later.has(path)
        ? {
            contents: `import ${JSON.stringify(FIRST)};\n${readFileSync(path, 'utf8')}`,
            loader: path.endsWith('x') ? 'tsx' : 'ts',
            resolveDir: dirname(path),
          }
        : undefined,
    );
  },
};

const url = (path) => `/${relative(OUT, path).replaceAll('\\', '/')}`;

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
const scripts = {
  outdir: `${OUT}/assets`,
  entryNames: '[name]-[hash]',
  bundle: true,
  platform: 'browser',
  target: ['chrome120', 'firefox120', 'safari17'],
  minify: true,
  metafile: true,
  tsconfig: 'web/client/tsconfig.json',
};
const ofOneFile = { ...scripts, format: 'iife' };
const worker = await build({ ...ofOneFile, entryPoints: { worker: WORKER } });
const early = await build({ ...ofOneFile, entryPoints: { early: EARLY } });
const [earlyFile] = Object.keys(early.metafile.outputs);
const [workerFile] = Object.keys(worker.metafile.outputs);
const { metafile } = await build({
  ...scripts,
  entryPoints: { main: ENTRY, style: STYLE },
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  splitting: true,
  format: 'esm',
  jsx: 'automatic',
  sourcemap: 'linked',
  sourcesContent: false,
  define: { 'process.env.NODE_ENV': '"production"', STATIC: 'false', WORKER: JSON.stringify(url(workerFile)) },
  plugins: [tokens, oneFirstPage],
  logLevel: 'warning',
});

await buildStaticForm(tokens);

const outputs = Object.entries(metafile.outputs);
const outputOf = (source) => outputs.find(([, { entryPoint }]) => entryPoint === source)?.[0];
/** A file and what it loads at once. */
function withStatic(path, found = new Set()) {
  if (path === undefined || found.has(path)) return found;
  found.add(path);
  for (const { path: part, kind } of metafile.outputs[path].imports)
    if (kind === 'import-statement' && metafile.outputs[part] !== undefined) withStatic(part, found);
  return found;
}
const gzipped = (paths) => [...paths].reduce((sum, path) => sum + gzipSync(readFileSync(path)).length, 0);

const first = withStatic(outputOf(ENTRY));
const later = (entry) => gzipped([...withStatic(outputOf(entry))].filter((path) => !first.has(path)));
const sizes = {
  'first page, scripts': gzipped([earlyFile, ...first]),
  'first page, styles': gzipped([outputOf(STYLE)]),
  'charts, later': later(CHARTS),
  'SQL editor, later': later(EDITOR),
};

const preloads = [...first].slice(1).map((path) => `<link rel="modulepreload" href="${url(path)}">`);
/** With the document; each is a way to the server and back. */
const requests = 1 + 1 + 1 + first.size;
// No inline script or style: the policy that the server sends allows none.
writeFileSync(
  join(OUT, 'index.html'),
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>bench</title>
<link rel="icon" href="data:,">
<script async fetchpriority="high" src="${url(earlyFile)}"></script>
<link rel="stylesheet" href="${url(outputOf(STYLE))}">
${preloads.join('\n')}
<script type="module" nonce="__NONCE__" src="${url(outputOf(ENTRY))}"></script>
</head>
<body><div id="root"></div><noscript>This page needs JavaScript; the command line shows the same.</noscript></body>
</html>
`,
);
writeFileSync(join(OUT, 'sizes.json'), `${JSON.stringify({ ...sizes, 'first page, requests': requests }, null, 2)}\n`);
// Style sheets' script stubs are of no use.
for (const name of readdirSync(`${OUT}/assets`))
  if (/^style-.*\.js(\.map)?$/.test(name)) rmSync(`${OUT}/assets/${name}`);

const over = Object.entries(BUDGETS).filter(([name, most]) => sizes[name] > most);
if (requests > MOST_REQUESTS) {
  console.error(`first page, requests: ${requests}, at most ${MOST_REQUESTS} are allowed`);
  process.exit(1);
}
if (over.length > 0) {
  for (const [name, most] of over) console.error(`${name}: ${sizes[name]} bytes gzipped, at most ${most} are allowed`);
  process.exit(1);
}
