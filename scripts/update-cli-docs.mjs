// Writes the reference part of docs/reference/cli.md from the commands as they are built: npm run build && node scripts/update-cli-docs.mjs
import { readFileSync, writeFileSync } from 'node:fs';

const { buildProgram } = await import('../dist/cli/program.js');
const { commandReference, withReference } = await import('../dist/scripts/reference/command-reference.js');

const page = new URL('../docs/reference/cli.md', import.meta.url);
writeFileSync(page, withReference(readFileSync(page, 'utf8'), commandReference(await buildProgram({}))));
