import { z } from 'zod';

const word = z.string().regex(/^[\w.:/-]{1,50}$/, 'must be letters, digits and . _ : / -, at most 50');
const words = () => z.array(word).min(1).optional();

/** All labels at once, as a form has them: tags by spaces or commas, none if empty. */
export const labelsSchema = {
  note: z.string().max(2000).default('').describe('in place of the one before; empty: none'),
  tags: z
    .string()
    .max(5000)
    .default('')
    .refine((text) => wordsIn(text).every((one) => word.safeParse(one).success), {
      error: 'must be words of letters, digits and . _ : / -, at most 50 each, between spaces or commas',
    })
    .describe('in place of those before, by spaces or commas'),
} as const;

const wordsIn = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((one) => one !== ''))].sort();

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

/** What a form wants, of an action's options. */
export function wantedLabels({ note, tags }: Readonly<Record<string, unknown>>): { note: string; tags: string[] } {
  const wanted = z.object(labelsSchema).parse({ note, tags });
  return { note: wanted.note, tags: wordsIn(wanted.tags) };
}
