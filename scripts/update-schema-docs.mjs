// Writes the reference part of docs/reference/schema.md from db/ as it is built: npm run build && node scripts/update-schema-docs.mjs
import { readFileSync, writeFileSync } from 'node:fs';

const { schemaReference, withSchema } = await import('../dist/scripts/reference/schema-reference.js');

const page = new URL('../docs/reference/schema.md', import.meta.url);
writeFileSync(page, withSchema(readFileSync(page, 'utf8'), schemaReference()));
