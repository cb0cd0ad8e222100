import nunjucks from 'nunjucks';

// nunjucks: the JavaScript port of Jinja2, the template language of this field's agents; unknown variables are errors.
const environment = new nunjucks.Environment(null, {
  autoescape: false,
  throwOnUndefined: true,
  trimBlocks: true,
  lstripBlocks: true,
});

/** Render a template; throws an Error that names the template and the unknown variable or the syntax error. */
export function renderTemplate(name: string, template: string, variables: Record<string, unknown>): string {
  try {
    return environment.renderString(template, variables);
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
