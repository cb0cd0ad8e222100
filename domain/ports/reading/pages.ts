import type { BatchPages } from './batch-pages.js';
import type { ChangePages } from './change-pages.js';
import type { EventPages } from './event-pages.js';
import type { IntegrityPages } from './integrity-pages.js';
import type { PairPages } from './pair-pages.js';
import type { RunPages } from './run-pages.js';
import type { SchemaPages } from './schema-pages.js';
import type { SearchPages } from './search-pages.js';
import type { StepPages } from './step-pages.js';
import type { SubjectPages } from './subject-pages.js';

/** Reads by parts, whatever the size of a run, a batch or the database. Takes whole ids only. */
export type Pages = RunPages &
  StepPages &
  BatchPages &
  PairPages &
  ChangePages &
  EventPages &
  SearchPages &
  IntegrityPages &
  SubjectPages &
  SchemaPages;
