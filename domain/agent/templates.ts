import nunjucks from 'nunjucks';

// The JavaScript port of Jinja2, which agents of this field use; unknown variables are errors.
const environment = new nunjucks.Environment(null, {
  autoescape: false,
  throwOnUndefined: true,
  trimBlocks: true,
  lstripBlocks: true,
});

/** A prompt renders the same few for each step. Bounded: a worker plays thousands of agents. */
const compiled = new Map<string, nunjucks.Template>();
const MOST_COMPILED = 1_000;

function compile(template: string): nunjucks.Template {
  const known = compiled.get(template);
  if (known !== undefined) return known;
  const made = new nunjucks.Template(template, environment);
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  compiled.set(template, made);
  return made;
}

/** Throws an Error that names the template and the unknown variable or the syntax error. */
export function renderTemplate(name: string, template: string, variables: Record<string, unknown>): string {
  try {
    return compile(template).render(variables);
  } catch (error) {
    // nunjucks messages have several lines, and begin with the path of a missing file.
    const text = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
    const message = text
      .replace(/^\(unknown path\)\s*/, '')
      .replace('Error: ', '')
      .trim();
    throw new Error(`template ${name}: ${message}`, { cause: error });
  }
}
