import type { SplitRequest } from '../../../domain/gateway/request-parts.js';
import { storable, type Statements } from '../../statements.js';

/** PostgreSQL's JSON refuses NUL and lone surrogates. */
export const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === 'string' ? storable(item) : item));

export async function keepParts(run: Statements, runId: string, { parts }: SplitRequest): Promise<void> {
  if (parts.size === 0) return;
  const all = [...parts].sort(([a], [b]) => (a < b ? -1 : 1));
  // As one JSON text: arrays of texts are escaped character by character, in megabytes.
  const rows = all.map(([hash, part]) => `{"hash":"${hash}","part":${storableJson(part)}}`);
  await run(
    'keepParts',
    `insert into program_parts (run_id, hash, part)
       select $1, given ->> 'hash', given -> 'part' from json_array_elements($2::json) given
       on conflict do nothing`,
    [runId, `[${rows.join(',')}]`],
  );
}
