import { z } from 'zod';
import { ROLES } from '../../domain/home/access.js';
import { hostsDocumentSchema } from '../../domain/views/hosts.js';
import { leasesDocumentSchema } from '../../domain/views/leases.js';
import { limitsDocumentSchema } from '../../domain/views/rate-accounts.js';
import { schedulesDocumentSchema } from '../../domain/views/schedules.js';
import { timeSchema } from '../../domain/views/values.js';
import { route } from './route.js';

export const homeRoutes = {
  health: route({
    method: 'GET',
    path: '/health',
    summary: 'whether the server is up',
    role: null,
    answer: z.strictObject({
      status: z.enum(['ok', 'services_lost']),
      version: z.string(),
      lostSince: timeSchema.nullable().describe('the services have been unavailable since then'),
    }),
  }),
  me: route({
    method: 'GET',
    path: '/me',
    summary: 'the user that the token identifies',
    role: 'viewer',
    answer: z.strictObject({
      name: z.string(),
      role: z.enum(ROLES),
      expiresAt: timeSchema.nullable().describe('of the token'),
      readOnly: z.boolean().describe('the server accepts no actions'),
      version: z.string(),
    }),
  }),
  openapi: route({
    method: 'GET',
    path: '/openapi.json',
    summary: 'this reference, as OpenAPI 3.1',
    role: 'viewer',
    answer: z.looseObject({ openapi: z.literal('3.1.0') }),
  }),
  hosts: route({
    method: 'GET',
    path: '/hosts',
    summary: 'machines that play runs',
    role: 'viewer',
    answer: hostsDocumentSchema,
  }),
  leases: route({
    method: 'GET',
    path: '/leases',
    summary: 'runs that hold GPUs, and runs that wait for some',
    role: 'viewer',
    query: z.strictObject({ released: z.boolean().default(false) }),
    answer: leasesDocumentSchema,
  }),
  schedules: route({
    method: 'GET',
    path: '/schedules',
    summary: 'schedules of batches, with their last outcomes',
    role: 'viewer',
    answer: schedulesDocumentSchema,
  }),
  limits: route({
    method: 'GET',
    path: '/limits',
    summary: 'rate limits of provider accounts',
    role: 'viewer',
    answer: limitsDocumentSchema,
  }),
};
