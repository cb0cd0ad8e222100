import type pg from 'pg';
import type { RunStore } from '../domain/ports/run-store.js';

/** The record of runs in PostgreSQL. */
export function createRunStore(_pool: pg.Pool): RunStore {
  throw new Error('not yet');
}
