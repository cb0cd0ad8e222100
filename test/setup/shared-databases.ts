import { inject } from 'vitest';
import { databasesOf, type TestDatabases } from './databases.js';

export const sharedDatabases = (): TestDatabases => databasesOf(inject('postgres'));
