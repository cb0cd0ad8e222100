import { sql } from 'drizzle-orm';
import { check, customType, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { IMAGE_TYPES, MOST_IMAGE_BYTES } from '../../domain/model/images.js';
import { createdAt, oneOf } from './columns.js';
import { runs } from './runs.js';

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** Images that agents looked at; lines of observations name them. */
export const images = pgTable(
  'images',
  {
    runId: text('run_id')
      .notNull()
      .references(() => runs.runId),
    /** First 16 hexadecimal digits of the SHA-256 of the bytes. */
    imageId: text('image_id').notNull(),
    /** The first in which the agent looked at it. */
    step: integer('step').notNull(),
    type: text('type').notNull(),
    bytes: bytea('bytes').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ name: 'images_pkey', columns: [t.runId, t.imageId] }),
    check('images_type', oneOf('type', IMAGE_TYPES)),
    check('images_size', sql`octet_length(${t.bytes}) between 1 and ${sql.raw(String(MOST_IMAGE_BYTES))}`),
  ],
);
