import nunjucks from 'nunjucks';

// nunjucks: the JavaScript port of Jinja2, the template language of this field's agents; unknown variables are errors.
const environment = new nunjucks.Environment(null, {
  autoescape: false,
  throwOnUndefined: true,
  trimBlocks: true,
  lstripBlocks: true,
});

/** Compiled ones: a prompt renders the same few for each of its steps. Bounded: a worker plays thousands of agents and tasks. */
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

/** Render a template; throws an Error that names the template and the unknown variable or the syntax error. */
export function renderTemplate(name: string, template: string, variables: Record<string, unknown>): string {
  try {
    return compile(template).render(variables);
  } catch (error) {
    // nunjucks spreads its message over lines and opens it with the path of a file that does not exist here.
    const text = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
    const message = text
      .replace(/^\(unknown path\)\s*/, '')
      .replace('Error: ', '')
      .trim();
    throw new Error(`template ${name}: ${message}`, { cause: error });
  }
}
