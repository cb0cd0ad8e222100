import { z } from 'zod';

const word = z.string().regex(/^[\w.:/-]{1,50}$/, 'must be letters, digits and . _ : / -, at most 50');
const words = () => z.array(word).min(1).optional();

export const labelRequestSchema = z.strictObject({
  note: z
    .string()
    .max(2000)
    .optional()
    .meta({ description: 'a note in place of the one before; empty: none', placeholder: 'text' }),
  tag: words().meta({ description: 'add these tags, comma-separated', placeholder: 'words' }),
  untag: words().meta({ description: 'remove these tags, comma-separated', placeholder: 'words' }),
});
export type LabelRequest = z.input<typeof labelRequestSchema>;
