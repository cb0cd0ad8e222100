import { z } from 'zod';
import { documents, type Printed } from '../../scripts/reference/documents.js';
import { errorDocumentSchema } from '../../domain/views/errors.js';

/** Of a group, the command that its name alone runs. */
const DEFAULTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(documents).flatMap((name) => (name.endsWith(' list') ? [[name.slice(0, -' list'.length), name]] : [])),
);

/** The command of these arguments: the longest prefix; of a group alone, its default. */
export function commandOf(args: readonly string[]): string | null {
  const words = args.filter((word) => !word.startsWith('-'));
  for (const length of [3, 2, 1]) {
    const name = words.slice(0, length).join(' ');
    if (documents[name] !== undefined) return name;
  }
  return DEFAULTS[words[0] ?? ''] ?? null;
}

/** Schema errors of the document; of several schemas, those of the closest one. */
function faults(document: unknown, printed: readonly Printed[]): z.ZodError | null {
  const found: z.ZodError[] = [];
  for (const { schema } of printed) {
    const result = schema.safeParse(document);
    if (result.success) return null;
    found.push(result.error);
  }
  return found.sort((a, b) => a.issues.length - b.issues.length)[0] ?? null;
}

/** Throws unless the command may print this document: no key is missing or unknown. */
export function checkPrinted(args: readonly string[], document: unknown): void {
  // Arguments that name no command print an error.
  const printed = documents[commandOf(args) ?? ''] ?? [];
  const error = faults(document, [...printed, { schema: errorDocumentSchema }]);
  if (error !== null)
    throw new Error(
      `what bench ${args.join(' ')} printed does not fit its schema\n${z.prettifyError(error)}\n${JSON.stringify(document).slice(0, 2000)}`,
    );
}
