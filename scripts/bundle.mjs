// After transpile.mjs: the programs that people and the services start, each from a few files instead of hundreds. Half of what a
// command took was looking for modules. What else lies in dist/ stays file by file, for tests, benchmarks and scripts.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { build } from 'esbuild';

/** All chunks lie in one folder of dist/, as deep as the sources' folders: `../` leads to the same place from both. */
const CHUNKS = 'bundle';

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
    onLoad({ filter: /[\\/]@temporalio[\\/]worker[\\/]lib[\\/]workflow[\\/]threaded-vm\.js$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8');
      const found = "require.resolve('./workflow-worker-thread')";
      if (!code.includes(found)) throw new Error(`${path}: ${found} is not there any more`);
      return { contents: code.replace(found, "require.resolve('./workflow-thread.js')"), loader: 'js' };
    });
  },
};

/** Where there is no `navigator` (Node 20), the driver looks at a Response: a tenth of what a command takes, to load all of fetch. */
const plainSockets = {
  name: 'plain-sockets',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]pg[\\/]lib[\\/]stream\.js$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8');
      const asked = "typeof Response === 'function'";
      if (!code.includes(asked)) throw new Error(`${path}: ${asked} is not there any more`);
      return { contents: code.replace(asked, 'false'), loader: 'js' };
    });
  },
};

const begun = Date.now();
const { metafile } = await build({
  metafile: true,
  entryPoints: {
    'cli/main': 'cli/main.ts',
    'worker/main': 'worker/main.ts',
    'services/supervisor-main': 'services/supervisor-main.ts',
    'services/temporal-relay-main': 'services/temporal-relay-main.ts',
    [`${CHUNKS}/workflow-thread`]: '@temporalio/worker/lib/workflow/workflow-worker-thread.js',
  },
  outdir: 'dist',
  chunkNames: `${CHUNKS}/[name]-[hash]`,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // For `node --enable-source-maps`; not read without it.
  sourcemap: 'linked',
  sourcesContent: false,
  // Packages of the CommonJS kind ask for `require`. Node tells nobody what packages below node_modules use that is
  // deprecated (url.parse, in docker-modem): nor do we, now that they lie elsewhere, unless it is asked for.
  banner: {
    js:
      "import { createRequire as $createRequire } from 'node:module'; const require = $createRequire(import.meta.url);\n" +
      'if (!process.traceDeprecation && !process.throwDeprecation) process.noDeprecation = true;',
  },
  // Native parts that ssh2 does without; drizzle's and the drivers' optional companions.
  external: ['*.node', 'cpu-features', 'pg-native'],
  plugins: [temporalWorker, plainSockets, keepDirname],
  logLevel: 'warning',
});

// Of a CommonJS package, `import()` yields here nothing but `default`, unlike what Node does from the sources.
for (const { entryPoint = '', exports } of Object.values(metafile.outputs)) {
  if (
    entryPoint.startsWith('node_modules/') &&
    exports.join() === 'default' &&
    !entryPoint.includes('workflow-worker-thread')
  )
    throw new Error(`import() of ${entryPoint}: import it from a file of ours, and that file by import()`);
}

// Programs of an earlier build that still run, a `bench watch` over a weekend, load their parts by name when they need them.
const KEPT_MS = 7 * 24 * 3_600_000;
for (const name of readdirSync(`dist/${CHUNKS}`)) {
  const path = `dist/${CHUNKS}/${name}`;
  if (statSync(path).mtimeMs < begun - KEPT_MS) rmSync(path);
}
