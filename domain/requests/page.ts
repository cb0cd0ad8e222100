import { z } from 'zod';
import { ROLES } from '../home/access.js';
import { whole } from './fields.js';

export const pageServerRequestSchema = z.strictObject({
  port: whole(0, 65_535).default(8222).describe('port to listen at; 0: any that is free'),
  host: z.string().min(1).default('127.0.0.1').meta({
    description: 'address to listen at; another than loopback needs a certificate or a proxy',
    placeholder: 'address',
  }),
  readOnly: z.boolean().default(false).describe('take no action: no batch, run or host can be changed from the page'),
  tlsCert: z.string().min(1).optional().meta({ description: 'certificate, a PEM file', placeholder: 'file' }),
  tlsKey: z.string().min(1).optional().meta({ description: 'its key, a PEM file', placeholder: 'file' }),
  behindProxy: z
    .url({ protocol: /^https?$/, error: 'must be an origin, such as https://bench.example.org' })
    .optional()
    .meta({ description: 'origin under which a proxy that speaks TLS serves it', placeholder: 'origin' }),
});
export type PageServerRequest = z.output<typeof pageServerRequestSchema>;

export const tokenRequestSchema = z.strictObject({
  role: z.enum(ROLES).default('viewer').meta({ description: 'viewers read, operators also act', placeholder: 'role' }),
  name: z
    .string()
    .regex(/^[\w.@-]{1,60}$/, 'must be letters, digits, and . _ @ -, at most 60')
    .meta({ description: 'whose it is', placeholder: 'name' }),
  days: whole(1, 3650).default(90).describe('days until it ends'),
});

export const pageExportRequestSchema = z.strictObject({
  what: z.array(z.string().min(1)).default([]).describe('batches, runs, or one saved comparison'),
  all: z.boolean().default(false).describe('everything in the database'),
  output: z.string().min(1).optional().meta({ description: 'folder to write', placeholder: 'folder' }),
  single: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'write one file instead, of at most 50 MB of text', placeholder: 'file' }),
  observations: z.boolean().default(true).describe('with what commands printed'),
  files: z.boolean().default(true).describe('with submitted files'),
  redact: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'replace what fits one of these regular expressions, a line each', placeholder: 'file' }),
  allowSecrets: z.boolean().default(false).describe('write it even if something looks like a key'),
});
export type PageExportRequest = z.output<typeof pageExportRequestSchema>;
