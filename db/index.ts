export { openDatabase, type Database } from './database.js';
export { answerListener, progressListener } from './progress-listener.js';
export { openPulse } from './pulse.js';
export { checkSchema, migrate, schemaState } from './migrate.js';
export { isRevoked } from './host-users.js';
export { ensureRoles } from './roles.js';
export { findInstallation, readInstallation } from './installation.js';

export { createRunStore } from './run-store.js';

export { runReadOnlyQuery, type ReadOnlyResult } from './read-only-query.js';
export { readerUrl } from './reader-login.js';
export { insertBatch } from './submission.js';
