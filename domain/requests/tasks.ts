import { z } from 'zod';
import { BACKENDS } from '../run/run.js';
import { names, whole } from './fields.js';

const backend = () =>
  z.enum(BACKENDS).optional().meta({
    description: 'where agents run; default: docker or podman if it answers, else local for scripted models',
    placeholder: 'backend',
  });

/** Ids, or a suite, or both. */
const named = {
  ids: z.array(z.string().min(1)).default([]).describe('task ids, or `all`'),
  suite: z.string().min(1).optional().meta({ description: 'also the tasks of this suite', placeholder: 'name' }),
};
export type NamedTasks = { ids?: readonly string[] | undefined; suite?: string | undefined };

const played = {
  ...named,
  sample: z.boolean().default(false).describe('use sample data'),
  profile: z.string().min(1).optional().meta({
    description: "use this profile; default: the task's own budget, or `cpu` on sample data",
    placeholder: 'name',
  }),
  backend: backend(),
};

export const checkTasksRequestSchema = z.strictObject(played);
export type CheckTasksRequest = z.input<typeof checkTasksRequestSchema>;

export const verifyTasksRequestSchema = z.strictObject({
  ...played,
  agent: z
    .string()
    .min(1)
    .default('default')
    .meta({ description: 'agent configuration to play with', placeholder: 'name' }),
  concurrency: whole(1, 100).default(2).describe('runs at the same time'),
});
export type VerifyTasksRequest = z.input<typeof verifyTasksRequestSchema>;

export const buildImagesRequestSchema = z.strictObject({
  base: z.string().min(1).optional().meta({
    description: 'base image, kept for later builds; default: python:3.11-slim, or a Debian made with debootstrap',
    placeholder: 'image',
  }),
  backend: z
    .enum(['docker', 'podman'])
    .default('docker')
    .meta({ description: 'engine that builds them', placeholder: 'engine' }),
  tasks: names()
    .optional()
    .describe('also build the layers of these tasks and suites, or `all`; see docs/reference/images.md'),
  profile: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'build the layers of this profile, for tasks that have it', placeholder: 'name' }),
});
export type BuildImagesRequest = z.input<typeof buildImagesRequestSchema>;

export const prepareTasksRequestSchema = z.strictObject({
  ...named,
  sample: z.boolean().default(false).describe('make small sample data of the same form; fetch nothing'),
  from: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'take sources from this folder, by name; fetch the rest', placeholder: 'folder' }),
  data: z.string().min(1).optional().meta({
    description: 'take all sources from this folder and fetch nothing: plain files by name, or a cache of Hugging Face',
    placeholder: 'folder',
  }),
  force: z.boolean().default(false).describe('prepare the data again'),
  dryRun: z.boolean().default(false).describe('only print what is missing and the size of the download'),
});
export type PrepareTasksRequest = z.input<typeof prepareTasksRequestSchema>;
