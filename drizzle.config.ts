import { defineConfig } from 'drizzle-kit';

/** `npm run db:generate` writes the changes since the last migration to db/migrations. */
export default defineConfig({ dialect: 'postgresql', schema: './db/schema/*.ts', out: './db/migrations' });
