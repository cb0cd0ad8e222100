import { z } from 'zod';
import { episodeListSchema } from '../../domain/requests/episode-list.js';
import {
  episodesDocumentSchema,
  groupMetricsSchema,
  policyMetricsSchema,
  shownEpisodeSchema,
} from '../../domain/views/training.js';
import { route } from './route.js';

export const episodeRoutes = {
  episodes: route({
    method: 'GET',
    path: '/episodes',
    summary: 'episodes, newest first, as `bench episodes list --json` prints them',
    role: 'viewer',
    query: episodeListSchema.extend({ limit: z.int().min(1).max(10_000).default(1000) }),
    answer: episodesDocumentSchema,
  }),
  episode: route({
    method: 'GET',
    path: '/episodes/:id',
    summary: 'an episode with its actions, as `bench episodes show --json` prints it',
    role: 'viewer',
    answer: shownEpisodeSchema,
  }),
  policies: route({
    method: 'GET',
    path: '/batches/:id/policies',
    summary: 'figures of a training batch by policy version, the oldest first',
    role: 'viewer',
    answer: z.strictObject({ policies: z.array(policyMetricsSchema) }),
  }),
  groups: route({
    method: 'GET',
    path: '/batches/:id/groups',
    summary: 'its groups of episodes that are compared with each other, by policy version',
    role: 'viewer',
    answer: z.strictObject({ groups: z.array(groupMetricsSchema) }),
  }),
};
