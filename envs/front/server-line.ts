import type { EnvironmentDocument } from '../../domain/views/environments.js';

/** The line of JSON that a server prints when it listens: what the front does not know by itself. */
export type ServerLine = Omit<EnvironmentDocument, 'url' | 'pid' | 'serverPid'>;
