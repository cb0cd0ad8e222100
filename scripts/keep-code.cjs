'use strict';
// The process that compile-bundle.mjs starts a program in: `keep-code.cjs <load-bundle.cjs> <files, the program last> <arguments …>`.
// What another program has kept of the same file is in this one's code, too.
const { renameSync, writeFileSync } = require('node:fs');

const [, , loader, names] = process.argv;
process.argv.splice(2, 2);
const { load, loaded } = require(loader);
process.on('exit', () => {
  for (const { filename, script } of loaded.values()) {
    writeFileSync(`${filename}.new`, script.createCachedData());
    renameSync(`${filename}.new`, `${filename}.cache`);
  }
});
JSON.parse(names).forEach(load);
