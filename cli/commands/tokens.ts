import type { Command } from 'commander';
import { tokenRequestSchema } from '../../domain/requests/page.js';
import type { AddedToken, RemovedToken, TokensDocument } from '../../domain/views/page.js';
import { addToken, listTokens, removeToken } from '../../operations/home/page/tokens.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { formatTime } from '../render/format.js';
import { renderTable } from '../render/table.js';
import { requestFields, requestOptions } from '../schema-flags.js';

export function register(program: Command, context: CliContext): void {
  const { settings, output } = context;
  const { shape } = tokenRequestSchema;
  const tokens = program
    .command('tokens')
    .summary('list, add and remove tokens for the page')
    .description('List, add and remove tokens. A token lets its holder open the page and call its API.');
  tokens
    .command('list', { isDefault: true })
    .summary('list tokens (the default)')
    .description('List the tokens that have not expired.')
    .action(() => {
      const listed = listTokens(settings);
      output.json({ tokens: listed } satisfies TokensDocument);
      output.print(
        renderTable(
          listed,
          [
            { title: 'name', value: ({ name }) => name },
            { title: 'role', value: ({ role }) => role },
            { title: 'created', value: ({ createdAt }) => formatTime(createdAt) },
            { title: 'expires', value: ({ expiresAt }) => (expiresAt === null ? 'never' : formatTime(expiresAt)) },
          ],
          output.colors,
        ),
      );
    });
  const add = tokens
    .command('add')
    .summary('add a token')
    .description('Add a token. It is printed only once, because the home stores only its hash.');
  for (const option of requestOptions(shape)) {
    if (option.attributeName() === 'name') option.makeOptionMandatory();
    add.addOption(option);
  }
  addExamples(add, [['bench tokens add --name ann --role viewer', 'give a colleague read access']]);
  add.action((options: Record<string, unknown>) => {
    const added = addToken(settings, tokenRequestSchema.parse(requestFields(shape, options)));
    output.json(added satisfies AddedToken);
    output.print(added.token);
    output.log(
      `${added.name}, ${added.role}; append it to the page's address as \`/#token=…\`, or send it as a Bearer token`,
    );
  });
  tokens
    .command('remove')
    .summary('remove a token')
    .description('Remove a token. Pages that were opened with it lose access.')
    .argument('<name>', 'name of the token, as in `bench tokens`')
    .action((name: string) => {
      removeToken(settings, name);
      output.json({ removed: name } satisfies RemovedToken);
      output.print(`Removed ${name}`);
    });
}
