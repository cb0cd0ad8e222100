/** Text that is markup already. */
export class Html {
  constructor(readonly markup: string) {}
}

type Content = Html | string | number | null | false | undefined | readonly Content[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** For text and quoted attributes. Names of models and tasks are untrusted. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

/** A template whose values are escaped, unless they are Html. Lists are joined; null, undefined and false vanish. */
export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  return new Html(strings.reduce((text, part, i) => text + markupOf(values[i - 1]) + part));
}

function markupOf(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (content instanceof Html) return content.markup;
  if (typeof content === 'string' || typeof content === 'number') return escapeHtml(String(content));
  return content.map(markupOf).join('');
}
