import type { PlacementActivities } from '../domain/messages.js';

/** Whichever host answers, bears the run. */
export const placementActivities = (hostId: string): PlacementActivities => ({ place: async () => hostId });
