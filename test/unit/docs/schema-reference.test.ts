import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { schemaReference, withSchema } from '../../../scripts/reference/schema-reference.js';

const page = readFileSync(new URL('../../../docs/reference/schema.md', import.meta.url), 'utf8');
const reference = schemaReference();

describe('docs/reference/schema.md', () => {
  it('is what the migrations make (else: npm run build && node scripts/update-schema-docs.mjs)', () => {
    expect(page).toBe(withSchema(page, reference));
  });

  it('draws each foreign key, and says which may be empty', () => {
    expect(reference).toContain('  batches ||--o{ runs : batch_id');
    expect(reference).toContain('  hosts |o--o{ runs : host_id');
    expect(reference).toMatch(/ {2}steps \{\n {4}text run_id PK, FK\n {4}integer step PK\n {2}\}/);
  });

  it('says what every table, view and function is for', () => {
    const tables = [...reference.matchAll(/^### (\w+)\n\n(.*)$/gm)];
    expect(tables.length).toBeGreaterThan(15);
    expect(tables.filter(([, , about]) => about?.startsWith('|')).map(([, name]) => name)).toEqual([]);
    expect(reference).toContain('| `run_scores` |');
    expect(reference).toContain('| `areas_under_profiles` |');
  });

  it('keeps what people wrote around it', () => {
    const around =
      'before\n<!-- schema: written by scripts/update-schema-docs.mjs -->\nold\n<!-- end of schema -->\nafter\n';
    expect(withSchema(around, 'new')).toBe(around.replace('\nold\n', '\n\nnew\n\n'));
    expect(() => withSchema('nothing', 'new')).toThrow('docs/reference/schema.md');
  });
});
