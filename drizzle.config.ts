import { defineConfig } from 'drizzle-kit';

/** `npm run db:generate` writes the difference between db/schema and the last migration to db/migrations. */
export default defineConfig({ dialect: 'postgresql', schema: './db/schema/*.ts', out: './db/migrations' });
