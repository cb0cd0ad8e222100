import { z } from 'zod';

/** OpenAI's chat completions or responses, Anthropic's messages, or Gemini's own API. */
export const PROGRAM_CLIENTS = ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const;
export type ProgramClient = (typeof PROGRAM_CLIENTS)[number];

/** Ends a client at its limit; no single status ends them all. */
const LIMIT_ANSWERS = ['billing_error', 'insufficient_quota', 'unauthorized'] as const;
export type LimitAnswer = (typeof LIMIT_ANSWERS)[number];

const npmPackage = z
  .string()
  .regex(/^(?:@[a-z0-9._-]+\/)?[a-z0-9._-]+@\d+\.\d+\.\d+[a-z0-9.+-]*$/, 'an npm package with its version: name@1.2.3');
const pipPackage = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[a-z0-9,_-]+\])?==[A-Za-z0-9.!+_-]+$/, 'a Python package: name==version');

/** Mount point in the container, read-only. */
export const PROGRAM_FOLDER = '/opt/program';

export const programSchema = z.strictObject({
  client: z.enum(PROGRAM_CLIENTS),
  /** Default: by the client's user agent, else by `client`. */
  limitAnswer: z.enum(LIMIT_ANSWERS).optional(),
  install: z
    .strictObject({
      /** Into a layer of the image. */
      pip: z.array(pipPackage).min(1).optional(),
      /** After those, each without what it depends on. */
      pipNoDeps: z.array(pipPackage).min(1).optional(),
      /** On the host, mounted at /opt/program. */
      npm: z.array(npmPackage).min(1).optional(),
      /** Host folder mounted there instead. */
      folder: z
        .string()
        .regex(/^\/[^\0]*$/, 'an absolute path')
        .optional(),
    })
    .refine((install) => install.npm === undefined || install.folder === undefined, 'name npm or folder, not both')
    .prefault({}),
  /** A line of bash, run in the workspace. */
  command: z.string().min(1),
  /** For a model other than the run's: use the run's model, or refuse. */
  otherModels: z.enum(['rewrite', 'refuse']).default('refuse'),
  /** Of one answer; absent: the run's, else the model's. */
  maxOutputTokens: z.number().int().min(1).max(1_000_000).optional(),
  /** False: it may end without a model call. Absent: such an end means that it did not start. */
  needsModel: z.boolean().optional(),
  callsInFlight: z.number().int().min(1).max(64).default(10),
});
export type Program = z.infer<typeof programSchema>;

/** Wires of each provider; translation would lose what only one of them has. */
export const PROVIDER_OF_CLIENT: Readonly<Record<ProgramClient, readonly string[]>> = {
  'openai-chat': ['openai', 'openai-compatible'],
  'openai-responses': ['openai', 'openai-compatible'],
  anthropic: ['anthropic'],
  gemini: ['gemini'],
};

/** Number of the program's command in its sandbox. */
export const PROGRAM_COMMAND = 1;
/** Port of the gateway in the container. */
export const GATEWAY_PORT = 3129;
