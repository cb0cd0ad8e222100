import { z } from 'zod';
import { runFilterSchema, runPageRequestSchema } from '../../domain/requests/run-filter.js';
import { evaluationDetailSchema } from '../../domain/views/runs.js';
import {
  lineageSchema,
  modelCallsSchema,
  runFilesSchema,
  runHeadSchema,
  runSetupSchema,
  snapshotLinkSchema,
  waitingSchema,
} from '../../domain/views/run-head.js';
import { activeRunsSchema, runFacetsSchema, runPageSchema } from '../../domain/views/run-page.js';
import { treeSchema } from '../../domain/views/tree.js';
import { promptPageSchema } from '../../domain/views/prompt.js';
import { stepSkeletonSchema, stepWindowSchema } from '../../domain/views/steps.js';
import { eventPageQuery, eventPageSchema } from './events.js';
import { route } from './route.js';

const step = z.int().min(0);

export const runRoutes = {
  runs: route({
    method: 'GET',
    path: '/runs',
    summary: 'a page of runs',
    role: 'viewer',
    query: runPageRequestSchema,
    answer: runPageSchema,
  }),
  runFacets: route({
    method: 'GET',
    path: '/runs/facets',
    summary: 'counts of these runs by each filter value',
    role: 'viewer',
    query: runFilterSchema,
    answer: runFacetsSchema,
  }),
  activeRuns: route({
    method: 'GET',
    path: '/runs/active',
    summary: 'how many runs have not ended, by status',
    role: 'viewer',
    answer: activeRunsSchema,
  }),
  run: route({
    method: 'GET',
    path: '/runs/:id',
    summary: 'a run; id, or an unambiguous part of it',
    role: 'viewer',
    answer: runHeadSchema,
  }),
  skeleton: route({
    method: 'GET',
    path: '/runs/:id/skeleton',
    summary: 'its steps without their texts',
    role: 'viewer',
    query: z.strictObject({ after: step.default(0), limit: z.int().min(1).max(10_000).default(10_000) }),
    answer: stepSkeletonSchema,
  }),
  steps: route({
    method: 'GET',
    path: '/runs/:id/steps',
    summary: 'up to 100 steps, their texts cut to head and tail',
    role: 'viewer',
    query: z.strictObject({ from: step, to: step, preview: z.int().min(0).max(65_536).default(4096) }),
    answer: stepWindowSchema,
  }),
  stepText: route({
    method: 'GET',
    path: '/runs/:id/steps/:step/:text',
    summary: 'one text of a step, whole; `Range: bytes=…` for a part of it',
    role: 'viewer',
    answer: 'text',
  }),
  prompt: route({
    method: 'GET',
    path: '/runs/:id/steps/:step/prompt',
    summary: 'the prompt of a step, rebuilt from the record',
    role: 'viewer',
    answer: promptPageSchema,
  }),
  image: route({
    method: 'GET',
    path: '/runs/:id/images/:image',
    summary: 'the bytes of an image that its agent looked at',
    role: 'viewer',
    answer: 'bytes',
  }),
  evaluations: route({
    method: 'GET',
    path: '/runs/:id/evaluations',
    summary: 'its evaluations, in order',
    role: 'viewer',
    answer: z.strictObject({ evaluations: z.array(evaluationDetailSchema) }),
  }),
  calls: route({
    method: 'GET',
    path: '/runs/:id/calls',
    summary: 'its model calls, in order',
    role: 'viewer',
    query: z.strictObject({ after: z.string().max(100).optional(), limit: z.int().min(1).max(1000).default(200) }),
    answer: modelCallsSchema,
  }),
  runEvents: route({
    method: 'GET',
    path: '/runs/:id/events',
    summary: 'its events, newest first',
    role: 'viewer',
    query: eventPageQuery,
    answer: eventPageSchema,
  }),
  lineage: route({
    method: 'GET',
    path: '/runs/:id/lineage',
    summary: 'runs that it retries or continues, and runs that retry or continue it',
    role: 'viewer',
    answer: lineageSchema,
  }),
  tree: route({
    method: 'GET',
    path: '/runs/:id/tree',
    summary: 'the tree of the run, or of which it is a node',
    role: 'viewer',
    answer: treeSchema,
  }),
  waiting: route({
    method: 'GET',
    path: '/runs/:id/waiting',
    summary: 'why it waits',
    role: 'viewer',
    answer: waitingSchema,
  }),
  setup: route({
    method: 'GET',
    path: '/runs/:id/setup',
    summary: 'its set-up: prompt, limits, images',
    role: 'viewer',
    answer: runSetupSchema,
  }),
  files: route({
    method: 'GET',
    path: '/runs/:id/files',
    summary: 'files taken from its workspace, step by step',
    role: 'viewer',
    answer: runFilesSchema,
  }),
  snapshotLink: route({
    method: 'GET',
    path: '/runs/:id/snapshots/:step/link',
    summary: 'an address to download a snapshot from, for five minutes',
    role: 'viewer',
    answer: snapshotLinkSchema,
  }),
  download: route({
    method: 'GET',
    path: '/downloads/:ticket',
    summary: 'the file behind a download address of this server',
    role: null,
    answer: 'bytes',
  }),
  file: route({
    method: 'GET',
    path: '/files/:sha256',
    summary: 'the bytes of a submitted file',
    role: 'viewer',
    answer: 'bytes',
  }),
};
