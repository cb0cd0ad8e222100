import { z } from 'zod';
import { ROLES } from '../access.js';
import { timeSchema } from './values.js';

export const uiTokenSchema = z
  .strictObject({
    name: z.string(),
    role: z.enum(ROLES),
    createdAt: timeSchema,
    endsAt: timeSchema.nullable().describe('null: never'),
  })
  .meta({ id: 'UiToken' });
export type UiToken = z.infer<typeof uiTokenSchema>;

export const uiTokensDocumentSchema = z.strictObject({ tokens: z.array(uiTokenSchema) });
export type UiTokensDocument = z.infer<typeof uiTokensDocumentSchema>;

/** The one time that the token itself is shown. */
export const addedUiTokenSchema = uiTokenSchema.extend({ token: z.string() }).meta({ id: 'AddedUiToken' });
export type AddedUiToken = z.infer<typeof addedUiTokenSchema>;

export const removedUiTokenSchema = z.strictObject({ removed: z.string() });
export type RemovedUiToken = z.infer<typeof removedUiTokenSchema>;

/** Printed when it listens. */
export const uiDocumentSchema = z
  .strictObject({
    url: z.string().describe('with a token behind `#`, for a browser'),
    address: z.string().describe('without it'),
    pid: z.int(),
    reused: z.boolean().describe('it ran already'),
  })
  .meta({ id: 'Ui' });
export type UiDocument = z.infer<typeof uiDocumentSchema>;

export const uiExportDocumentSchema = z
  .strictObject({
    path: z.string().describe('what to open'),
    batches: z.int(),
    runs: z.int(),
    files: z.int().describe('written'),
    bytes: z.int(),
    redacted: z.int().describe('texts in which something was replaced'),
  })
  .meta({ id: 'UiExport' });
export type UiExportDocument = z.infer<typeof uiExportDocumentSchema>;
