import type { EnvironmentDocument } from '../../domain/views/environments.js';

/** The line of JSON that a door prints when it listens: what the front does not know by itself. */
export type DoorLine = Omit<EnvironmentDocument, 'url' | 'pid' | 'doorPid'>;
