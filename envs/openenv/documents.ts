import { z } from 'zod';
import { resetSchema } from '../../domain/requests/episode.js';
import type { Environment } from '../../operations/episodes/environment.js';
import { ENVIRONMENT } from '../task-api.js';

/** One field: clients put this into every turn of the policy. */
const actionDocument = {
  title: 'BenchAction',
  type: 'object',
  properties: { command: { type: 'string' } },
  required: ['command'],
};

const observationDocument = {
  title: 'BenchObservation',
  type: 'object',
  properties: { message: { type: 'string' } },
  required: ['message'],
};

const stateDocument = {
  title: 'BenchState',
  type: 'object',
  properties: {
    episode_id: { type: ['string', 'null'] },
    step_count: { type: 'integer' },
    task: { type: 'string' },
    seed: { type: 'integer' },
    action_seq: { type: 'integer' },
    current_step: { type: 'integer' },
    done: { type: 'boolean' },
    end_reason: { type: ['string', 'null'] },
  },
  required: ['episode_id', 'step_count'],
};

export const schemas = {
  action: actionDocument,
  observation: observationDocument,
  reset_observation: observationDocument,
  state: stateDocument,
};

export const metadata = ({ tasks, harnessVersion }: Environment) => ({
  name: ENVIRONMENT,
  description: `Machine-learning tasks in a shell, scored in a clean room: ${tasks.join(', ')}`,
  version: harnessVersion,
  author: null,
  readme_content: null,
  documentation_url: null,
});

const body = (schema: object) => ({ content: { 'application/json': { schema } } });
const ok = (schema: object) => ({ responses: { 200: { description: 'OK', ...body(schema) } } });

const answerDocument = {
  type: 'object',
  properties: {
    observation: observationDocument,
    reward: { type: ['number', 'null'] },
    done: { type: 'boolean' },
    metadata: { type: 'object' },
  },
  required: ['observation', 'reward', 'done'],
};

const stepDocument = {
  type: 'object',
  properties: {
    action: actionDocument,
    episode_id: { type: 'string' },
    timeout_s: { type: 'number' },
    request_id: { type: 'string' },
  },
  required: ['action'],
};

export const openApi = () => ({
  openapi: '3.1.0',
  info: { title: ENVIRONMENT, version: '1.0.0' },
  paths: {
    '/health': { get: ok({ type: 'object', properties: { status: { type: 'string' } } }) },
    '/metadata': { get: ok({ type: 'object' }) },
    '/schema': { get: ok({ type: 'object' }) },
    '/reset': { post: { requestBody: body(z.toJSONSchema(resetSchema)), ...ok(answerDocument) } },
    '/step': { post: { requestBody: body(stepDocument), ...ok(answerDocument) } },
    '/state': { get: ok(stateDocument) },
    '/mcp': { post: { requestBody: body({ type: 'object' }), ...ok({ type: 'object' }) } },
  },
});
