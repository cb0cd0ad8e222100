import { inject } from 'vitest';
import { databasesOf, type TestDatabases } from './databases.js';

/** The databases of project `sql`: on the one server that its set-up started. */
export const sharedDatabases = (): TestDatabases => databasesOf(inject('postgres'));
