'use strict';
// In dist/bundle/: loads a bundled file, and what it requires, with the code that compile-bundle.mjs had V8 compile for it. V8
// refuses code of another version of its own; without any it compiles what it needs, as ever, which takes a program's start twice
// the time.
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { constants, Script } = require('node:vm');

// Node does not report deprecated calls of packages below node_modules (url.parse, in docker-modem): nor do we, now that they
// lie elsewhere, unless it is asked for.
if (!process.traceDeprecation && !process.throwDeprecation) process.noDeprecation = true;

const outside = createRequire(__filename);
/** Node looks for source maps of what it loads itself. */
const wantsSourceMaps = [...process.execArgv, process.env.NODE_OPTIONS ?? '']
  .join(' ')
  .includes('--enable-source-maps');
const loaded = new Map();

function load(name) {
  if (wantsSourceMaps) return outside(`./${name}`);
  const known = loaded.get(name);
  if (known !== undefined) return known.module.exports;
  const filename = join(__dirname, name);
  // esbuild writes ASCII; read as such it needs no decoding.
  const source = readFileSync(filename, 'latin1');
  const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
    // Compiled code keeps the name that it was compiled under: a stack must not name the folder of who built the package.
    filename: `durabench/dist/bundle/${name}`,
    cachedData: compiled(filename),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  loaded.set(name, { filename, module, script });
  const inside = (id) => (id.startsWith('./') && id.endsWith('.cjs') ? load(id.slice(2)) : outside(id));
  inside.resolve = outside.resolve;
  script.runInThisContext().call(module.exports, module.exports, inside, module, filename, __dirname);
  return module.exports;
}

function compiled(filename) {
  try {
    return readFileSync(`${filename}.cache`);
  } catch {
    return undefined;
  }
}

module.exports = { load, loaded };
