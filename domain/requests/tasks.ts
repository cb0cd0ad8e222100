import { z } from 'zod';
import { BACKENDS } from '../run/run.js';
import { names, whole } from './fields.js';

// Which tasks are meant, and what is done with them.

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

export const replayRequestSchema = z.strictObject({
  file: z.string().min(1).describe('path of the recording, or of a folder of recordings'),
  task: z.string().min(1).meta({ description: 'the task that was recorded; see `bench tasks`', placeholder: 'id' }),
  agent: z.string().min(1).default('default').meta({
    description: 'agent configuration, which sets commands and reply format',
    placeholder: 'name',
  }),
  backend: backend(),
  maxSteps: whole(1, 100_000).optional().describe('step limit; default: all recorded steps, and one to submit'),
  concurrency: whole(1, 1000).optional().describe('of a folder: runs at the same time; default: 4'),
});
export type ReplayRequest = z.input<typeof replayRequestSchema>;

export const replayTableRequestSchema = z.strictObject({
  refs: z.array(z.string().min(1)).min(1).describe('runs, and batches, that played recordings'),
  noise: z.number().min(0).optional().meta({
    description:
      "how far apart final scores may be and still count as equal; default: three standard errors of the difference, if the task's baseline has one",
    placeholder: 'score',
  }),
});
export type ReplayTableRequest = z.input<typeof replayTableRequestSchema>;

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
