import type { LiveMessage } from '../../api/index.js';
import type { LiveState } from '../live/stream.js';

// Replaces live/live.ts in an export: nothing changes.

export const useLive = (_topic: string | null): void => undefined;
export const useLiveState = (): LiveState => ({ state: 'off' });
export const useServicesLost = (): string | null => null;
export const useOutput = (_runId: string): Extract<LiveMessage, { event: 'output' }>['data'] | undefined => undefined;
