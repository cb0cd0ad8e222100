// Writes the generated part of the JSON reference from the schemas as they are built: npm run build && node scripts/update-json-docs.mjs
import { readFileSync, writeFileSync } from 'node:fs';

const { documents } = await import('../dist/scripts/reference/documents.js');
const { JSON_PAGE, jsonReference, withJsonReference } = await import('../dist/scripts/reference/json-reference.js');

const page = new URL(`../${JSON_PAGE}`, import.meta.url);
writeFileSync(page, withJsonReference(readFileSync(page, 'utf8'), jsonReference(documents)));
