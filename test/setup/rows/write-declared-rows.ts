import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { declaredRows } from './declared-rows.js';

/** Writes the rows that db/ declares to a file: a process of its own, since it takes seconds. */

/** Fewer: the calls are no longer recognised. */
const AT_LEAST = 300;

const root = resolve(import.meta.dirname, '../../..');
const config = JSON.parse(readFileSync(`${root}/tsconfig.json`, 'utf8')) as { compilerOptions: object };
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
const declared = declaredRows(ts.sys.readDirectory(`${root}/db`, ['.ts']), options, root);
if (declared.length < AT_LEAST) throw new Error(`only ${declared.length} calls declare rows in db/`);
writeFileSync(process.argv[2] ?? '', JSON.stringify(declared));
