import type { EnvironmentDocument } from '../../domain/views/environments.js';

/** JSON that a listening server prints: what the front does not know. */
export type ServerLine = Omit<EnvironmentDocument, 'url' | 'pid' | 'serverPid'>;
