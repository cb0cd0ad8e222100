import { z } from 'zod';
import { ROLES } from '../home/access.js';
import { timeSchema } from './values.js';

const tokenSchema = z
  .strictObject({
    name: z.string(),
    role: z.enum(ROLES),
    createdAt: timeSchema,
    expiresAt: timeSchema.nullable().describe('null: never'),
  })
  .meta({ id: 'Token' });
export type Token = z.infer<typeof tokenSchema>;

export const tokensDocumentSchema = z.strictObject({ tokens: z.array(tokenSchema) });
export type TokensDocument = z.infer<typeof tokensDocumentSchema>;

/** The one time that the token itself is shown. */
export const addedTokenSchema = tokenSchema.extend({ token: z.string() }).meta({ id: 'AddedToken' });
export type AddedToken = z.infer<typeof addedTokenSchema>;

export const removedTokenSchema = z.strictObject({ removed: z.string() });
export type RemovedToken = z.infer<typeof removedTokenSchema>;

/** Printed when it listens. */
export const pageServerDocumentSchema = z
  .strictObject({
    url: z.string().describe('with a token behind `#`, for a browser'),
    address: z.string().describe('without it'),
    pid: z.int(),
    reused: z.boolean().describe('it ran already'),
  })
  .meta({ id: 'PageServer' });
export type PageServerDocument = z.infer<typeof pageServerDocumentSchema>;

export const pageExportDocumentSchema = z
  .strictObject({
    path: z.string().describe('what to open'),
    batches: z.int(),
    runs: z.int(),
    files: z.int().describe('written'),
    bytes: z.int(),
    redacted: z.int().describe('texts in which something was replaced'),
  })
  .meta({ id: 'PageExport' });
export type PageExportDocument = z.infer<typeof pageExportDocumentSchema>;
