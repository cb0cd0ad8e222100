// After transpile.mjs: the programs that people and the services start, each from a few files instead of hundreds, which
// load-bundle.cjs runs with code compiled in advance (compile-bundle.mjs). Three quarters of what a command took were looking for
// modules and compiling them. What else lies in dist/ stays file by file, for tests, benchmarks and scripts.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { compileBundle } from './compile-bundle.mjs';

/** Bundled files lie as deep as the sources' folders: `../` leads to the same place from both. */
const BUNDLE = 'dist/bundle';
/** What esbuild splits into chunks are ES modules only: they are made here, and then made CommonJS, whose code V8 can cache. */
const MODULES = 'dist/modules';
const EXTENSION = { '.js': '.cjs' };

/** A program, and the file by which it is started. */
const PROGRAMS = {
  'command-line': { source: 'cli/main.ts', start: 'dist/cli/main.js' },
  worker: { source: 'worker/main.ts', start: 'dist/worker/main.js' },
  environments: { source: 'envs/main.ts', start: 'dist/envs/main.js' },
  'environments-front': { source: 'envs/front-main.ts', start: 'dist/envs/front-main.js' },
  supervisor: { source: 'services/supervisor-main.ts', start: 'dist/services/supervisor-main.js' },
  'temporal-relay': { source: 'services/temporal-relay-main.ts', start: 'dist/services/temporal-relay-main.js' },
  'workflow-thread': {
    source: 'node_modules/@temporalio/worker/lib/workflow/workflow-worker-thread.js',
    start: `${BUNDLE}/workflow-thread.cjs`,
  },
};

/** `/…/node_modules/<package>/<path below>`, of the innermost package. */
const BELOW = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/](.*)$/;

/** Packages that look for files of theirs find them where they are installed, wherever that will be. */
const keepDirname = {
  name: 'keep-dirname',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.c?js$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8');
      if (!/\b__dirname\b/.test(code)) return undefined;
      const [, name, below] = BELOW.exec(path.replaceAll('\\', '/'));
      const folder = below.split('/').slice(0, -1);
      const root = `require("node:path").dirname(require.resolve("${name}/package.json"))`;
      const value = `require("node:path").join(${[root, ...folder.map((part) => JSON.stringify(part))].join(', ')})`;
      return { contents: code.replace(/\b__dirname\b/g, `(${value})`), loader: 'js' };
    });
  },
};

/** A file of a package with something else in the place of `found`, a text or a pattern. */
const patched = (path, found, instead) => {
  const code = readFileSync(path, 'utf8');
  if (typeof found === 'string' ? !code.includes(found) : !found.test(code))
    throw new Error(`${path}: ${found} is not there any more`);
  return { contents: code.replace(found, instead), loader: 'js' };
};

/**
 * The SDK bundles workflows by webpack if they are not bundled yet; ours are, by after-build.mjs. Its thread for workflows
 * is a program of its own, which it finds by a path.
 */
const temporalWorker = {
  name: 'temporal-worker',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@temporalio[\\/]worker[\\/]lib[\\/]workflow[\\/]bundler\.js$/ }, () => ({
      contents: `
        const missing = () => { throw new Error('workflows are bundled by the build: dist/workflow-bundle.js is missing'); };
        exports.bundleWorkflowCode = missing;
        exports.WorkflowCodeBundler = class { constructor() { missing(); } };
        exports.defaultWorkflowInterceptorModules = [];`,
      loader: 'js',
    }));
    onLoad({ filter: /[\\/]@temporalio[\\/]worker[\\/]lib[\\/]workflow[\\/]threaded-vm\.js$/ }, ({ path }) =>
      patched(path, "require.resolve('./workflow-worker-thread')", "require.resolve('./workflow-thread.cjs')"),
    );
    // A stack for each promise of a workflow, which the query `__stack_trace` alone reads: two thirds of a workflow thread's time.
    onLoad({ filter: /[\\/]@temporalio[\\/]worker[\\/]lib[\\/]workflow[\\/]vm-shared\.js$/ }, ({ path }) =>
      patched(path, 'this.setPromiseHook();', ''),
    );
    // A thread for each of some thirty calls a step, to stop one that takes five seconds: ours end, and tests run with the SDK's own.
    onLoad({ filter: /[\\/]@temporalio[\\/]worker[\\/]lib[\\/]workflow[\\/]reusable-vm\.js$/ }, ({ path }) =>
      patched(path, /(callIntoVmScript\.runInContext\(context, \{)\s*timeout: isolateExecutionTimeoutMs,/, '$1'),
    );
  },
};

/** Where there is no `navigator` (Node 20), the driver looks at a Response: a tenth of what a command takes, to load all of fetch. */
const plainSockets = {
  name: 'plain-sockets',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]pg[\\/]lib[\\/]stream\.js$/ }, ({ path }) =>
      patched(path, "typeof Response === 'function'", 'false'),
    );
  },
};

const shared = {
  platform: 'node',
  target: 'node20.19',
  outExtension: EXTENSION,
  // For `node --enable-source-maps`; not read without it.
  sourcemap: 'linked',
  sourcesContent: false,
};

const begun = Date.now();
rmSync(MODULES, { recursive: true, force: true });
const { metafile } = await build({
  ...shared,
  metafile: true,
  entryPoints: Object.fromEntries(Object.entries(PROGRAMS).map(([name, { source }]) => [name, source])),
  outdir: MODULES,
  // By its hash compiled code belongs to what it was compiled from.
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  // Native parts that ssh2 does without; drizzle's and the drivers' optional companions.
  external: ['*.node', 'cpu-features', 'pg-native'],
  plugins: [temporalWorker, plainSockets, keepDirname],
  logLevel: 'warning',
});

// Of a CommonJS package, `import()` yields here nothing but `default`, unlike what Node does from the sources.
const threadSource = PROGRAMS['workflow-thread'].source;
for (const { entryPoint = '', exports } of Object.values(metafile.outputs)) {
  if (entryPoint.startsWith('node_modules/') && exports.join() === 'default' && entryPoint !== threadSource)
    throw new Error(`import() of ${entryPoint}: import it from a file of ours, and that file by import()`);
}

await build({
  ...shared,
  entryPoints: Object.keys(metafile.outputs).filter((path) => path.endsWith(EXTENSION['.js'])),
  outdir: BUNDLE,
  format: 'cjs',
  // The first build has said what there is to say.
  logLevel: 'error',
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '$url' },
  banner: { js: 'const $url = require("node:url").pathToFileURL(__filename).href;' },
});
rmSync(MODULES, { recursive: true });

copyFileSync('scripts/load-bundle.cjs', `${BUNDLE}/load-bundle.cjs`);
const outputOf = (source) => Object.keys(metafile.outputs).find((path) => metafile.outputs[path].entryPoint === source);
for (const { source, start } of Object.values(PROGRAMS)) {
  const file = JSON.stringify(basename(outputOf(source)));
  mkdirSync(dirname(start), { recursive: true });
  writeFileSync(
    start,
    start.endsWith('.cjs')
      ? `require('./load-bundle.cjs').load(${file});\n`
      : `#!/usr/bin/env node\nimport bundle from '../bundle/load-bundle.cjs';\nbundle.load(${file});\n`,
  );
  rmSync(`${start}.map`, { force: true });
}
chmodSync(PROGRAMS['command-line'].start, 0o755);

// Programs of an earlier build that still run, a `bench watch` over a weekend, load their parts by name when they need them.
const KEPT_MS = 7 * 24 * 3_600_000;
for (const name of readdirSync(BUNDLE)) {
  const path = join(BUNDLE, name);
  if (statSync(path).mtimeMs < begun - KEPT_MS) rmSync(path);
}

/** What a file loads, at once or later, each after what it needs itself. */
function partsOf(path, found = new Set()) {
  for (const { path: part } of metafile.outputs[path].imports) {
    if (metafile.outputs[part] === undefined || found.has(part)) continue;
    found.add(part);
    partsOf(part, found);
  }
  return [...found];
}
const names = (paths) => paths.map((path) => basename(path));
const programs = Object.entries(PROGRAMS).map(([name, { source }]) => {
  const own = outputOf(source);
  return [name, { own: basename(own), parts: names(partsOf(own)) }];
});
compileBundle(resolve(BUNDLE), Object.fromEntries(programs));
