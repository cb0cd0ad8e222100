import type { Keys } from '../domain/ports/keys.js';
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { BenchError } from '../domain/errors.js';
import { errorFields, queryError } from './database-error.js';
import { WORKER_ROLE } from './key-roles.js';
import { statements } from './statements.js';

/** Hosts of older versions have a key in their home, which counts: do not make one up. */
const OTHERS_HAVE_IT = 'exists (select from hosts where home_id is not null and removed_at is null)';

export function createKeys(pool: pg.Pool): Keys {
  const run = statements(pool, (operation, error) =>
    errorFields(error).code === '42501' ? refused() : queryError(operation, error),
  );
  const keyIn = (table: 'evaluator_key' | 'sealing_key') => async (former: string | null) => {
    const stored = async (): Promise<string | undefined> =>
      (await run<{ key: string }>(table, `select key from ${table}`, []))[0]?.key;
    const known = await stored();
    if (known !== undefined) return known;
    await run(
      table,
      `insert into ${table} (key) select $1::text where $2::boolean or not ${OTHERS_HAVE_IT} on conflict do nothing`,
      [former ?? randomBytes(32).toString('hex'), former !== null],
    );
    const made = await stored();
    if (made !== undefined) return made;
    throw new BenchError('usage', "the key of the evaluators' seeds lies in the home of a host of an earlier version", {
      code: 'database.key_missing',
      remedy:
        'Start the worker of that home with this version first: it hands the key over. Is it gone, `bench hosts remove` it.',
    });
  };
  return { evaluator: keyIn('evaluator_key'), sealing: keyIn('sealing_key') };
}

const refused = (): BenchError =>
  new BenchError('services', "this user of the database may not read the key of the evaluators' seeds", {
    code: 'database.access_denied',
    remedy: `As its owner: \`bench db roles\`, then in psql \`grant ${WORKER_ROLE} to <user>\`.`,
  });
