import type { Argument, Command, Option } from 'commander';

/** scripts/update-cli-docs.mjs writes the part of docs/reference/cli.md between these. */
const REFERENCE_BEGIN = '<!-- commands: written by scripts/update-cli-docs.mjs -->';
const REFERENCE_END = '<!-- end of commands -->';

const isHidden = (command: Command): boolean => (command as unknown as { _hidden?: boolean })._hidden === true;

function defaultOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? ` Default: \`${value}\`.` : '';
}

function choicesOf(item: Option | Argument): string {
  return item.argChoices === undefined ? '' : ` One of ${item.argChoices.map((choice) => `\`${choice}\``).join(', ')}.`;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function optionLine(option: Option): string {
  const required = option.mandatory ? ' Required.' : '';
  return `- \`${option.flags}\`: ${sentence(option.description)}${choicesOf(option)}${option.negate ? '' : defaultOf(option.defaultValue)}${required}`;
}

function argumentLine(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return `- \`${argument.required ? `<${name}>` : `[${name}]`}\`: ${sentence(argument.description)}`;
}

/** So many options in common are not described a second time. */
const SHARED = 8;

/** Lines of commands that were described before, by command. */
type Described = Map<string, string[]>;

/** The lines of a command's options; those that it has from a command before are named after it. */
function optionLines(lines: string[], described: Described): string[] {
  for (const [name, earlier] of described) {
    const shared = lines.filter((line) => earlier.includes(line));
    if (shared.length < SHARED) continue;
    const missing = earlier
      .filter((line) => !lines.includes(line))
      .map((line) => /`--?[\w-]+(, )?(--[\w-]+)?/.exec(line)?.[0]);
    const except = missing.length === 0 ? '' : `, except ${missing.map((flag) => `${flag}\``).join(', ')}`;
    return [`- The options of \`${name}\`${except}.`, ...lines.filter((line) => !shared.includes(line))];
  }
  return lines;
}

function commandSection(command: Command, path: string, described: Described): string[] {
  const name = `${path} ${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((child) => commandSection(child, name, described));
  const args = command.registeredArguments.map((argument) => {
    const inner = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? ` <${inner}>` : ` [${inner}]`;
  });
  const options = command.options.filter((option) => option.long !== '--json' && !option.hidden);
  const all = options.map(optionLine);
  const lines = [...command.registeredArguments.map(argumentLine), ...optionLines(all, described)];
  described.set(name, all);
  return [
    `### \`${name}${args.join('')}\`\n\n${sentence(command.description())}\n${lines.length === 0 ? '' : `\n${lines.join('\n')}\n`}`,
  ];
}

/** Every command with its arguments and options, as Markdown, in the groups of `bench --help`. */
export function commandReference(program: Command): string {
  const groups = new Map<string, string[]>();
  const described: Described = new Map();
  for (const command of program.commands.filter((one) => !isHidden(one))) {
    const title = command.helpGroup().replace(/:$/, '');
    groups.set(title, [...(groups.get(title) ?? []), ...commandSection(command, program.name(), described)]);
  }
  return [...groups].map(([title, sections]) => `## ${title}\n\n${sections.join('\n')}`).join('\n');
}

/** The page with its generated part replaced. */
export function withReference(page: string, reference: string): string {
  const [begin, end] = [page.indexOf(REFERENCE_BEGIN), page.indexOf(REFERENCE_END)];
  if (begin < 0 || end < begin) throw new Error('docs/reference/cli.md has lost the markers of its generated part');
  return `${page.slice(0, begin + REFERENCE_BEGIN.length)}\n\n${reference}\n${page.slice(end)}`;
}
