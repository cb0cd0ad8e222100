import { sql } from 'drizzle-orm';
import { check, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { createdAt, oneOf } from './columns.js';
import { EVALUATION_KINDS } from './enums.js';
import { runs } from './runs.js';

export const submissions = pgTable(
  'submissions',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    step: integer('step').notNull(),
    kind: text('kind', { enum: EVALUATION_KINDS }).notNull(),
    /** Of the manifest in the artifact store. */
    sha256: text('sha256'),
    missing: text('missing').array(),
    refused: text('refused'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: 'submissions_pkey', columns: [t.runId, t.step, t.kind] }),
    check('submissions_kind', oneOf('kind', EVALUATION_KINDS)),
    check('submissions_one', sql`num_nonnulls(sha256, missing, refused) = 1`),
  ],
);
