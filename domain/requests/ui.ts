import { z } from 'zod';
import { ROLES } from '../access.js';
import { whole } from './fields.js';

/** How the page is served. */
export const uiRequestSchema = z.strictObject({
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
export type UiRequest = z.output<typeof uiRequestSchema>;

export const uiTokenRequestSchema = z.strictObject({
  role: z.enum(ROLES).default('viewer').meta({ description: 'viewers read, operators also act', placeholder: 'role' }),
  name: z
    .string()
    .regex(/^[\w.@-]{1,60}$/, 'must be letters, digits, and . _ @ -, at most 60')
    .meta({ description: 'whose it is', placeholder: 'name' }),
  days: whole(1, 3650).default(90).describe('days until it ends'),
});
