import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import { BenchError } from '../../domain/errors.js';
import type { ChangedHost, HostInvitationDocument, JoinedHost } from '../../domain/views/hosts.js';
import { inviteHost } from '../../operations/home/hosts/invite.js';
import { joinFleet } from '../../operations/home/hosts/join.js';
import { revokeHost } from '../../operations/home/hosts/revoke.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { formatTime } from '../render/format.js';

function days(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 365) throw new InvalidArgumentError('It is 1 to 365.');
  return value;
}

/** All users see a program's arguments; here only the shell has it: its `echo` is no program. */
export const joinLine = (invitation: string): string => `echo ${invitation} | bench hosts join - && bench worker`;

export async function invitationOf(argument: string, stdin: Readable & { isTTY?: boolean }): Promise<string> {
  if (argument !== '-') return argument;
  // A terminal would cut it at 4,096 characters.
  if (stdin.isTTY)
    throw new BenchError('usage', '`-` reads an invitation from stdin, and stdin is empty', {
      remedy: 'Run the whole line that `bench hosts invite` printed: echo <invitation> | bench hosts join -',
    });
  return text(stdin);
}

interface InviteFlags {
  database?: string;
  temporal?: string;
  days: number;
}

export function register(hosts: Command, context: CliContext): void {
  const invite = hosts
    .command('invite')
    .summary('print the command with which a new machine joins')
    .description(
      'Create a database user for a new machine, as the user of BENCH_OWNER_DATABASE_URL, and print one command to run there, ' +
        'once. It contains a token and the addresses of PostgreSQL, Temporal and the artifact store, but no keys of the store or of ' +
        'Temporal.',
    )
    .argument('[host]', 'name of the host; default: a generated one')
    .option('--database <host:port>', 'how the machine reaches PostgreSQL, if not as DATABASE_URL says')
    .option('--temporal <host:port>', 'how it reaches Temporal, if not as TEMPORAL_ADDRESS says')
    .option('--days <number>', 'days until the command expires', days, 7)
    .action(async (hostId: string | undefined, { database, temporal, days: valid }: InviteFlags) => {
      const { invitation, expiresAt, ...made } = await inviteHost(context, { hostId, database, temporal, days: valid });
      const document = { ...made, invitation, expiresAt: expiresAt.toISOString() };
      context.output.json(document satisfies HostInvitationDocument);
      context.output.log(
        `Run this on the new machine, once, before ${formatTime(document.expiresAt)}; it contains a secret:`,
      );
      context.output.print(joinLine(invitation));
    });
  addExamples(invite, [
    ['bench hosts invite gpu-box-1', 'a command for one machine'],
    ['bench hosts invite --database db.example:5432 --temporal temporal.example:7233', 'servers that are local here'],
  ]);

  hosts
    .command('join')
    .summary('join this machine with an invitation')
    .description(
      'Check version, token, PostgreSQL, Temporal and the artifact store, then write the settings into $BENCH_HOME/.env. ' +
        '`bench worker` starts the host. The token is replaced, so it works only once.',
    )
    .argument(
      '<invitation>',
      'the invitation that `bench hosts invite` printed; `-`: read it from stdin, which other users cannot see',
    )
    .action(async (argument: string) => {
      const joined = await joinFleet(context.settings, await invitationOf(argument, process.stdin));
      context.output.json(joined satisfies JoinedHost);
      context.output.print(
        `${joined.hostId} may join: its settings are in ${joined.home}/.env. \`bench worker\` starts it.`,
      );
    });

  hosts
    .command('revoke')
    .summary('revoke the access of an invited host')
    .description(
      'Revoke the access of an invited host: the database refuses it, its worker stops, and its runs continue on other ' +
        'hosts. Files of its runs stay on that machine.',
    )
    .argument('<host>', 'name of the host, as in `bench hosts`')
    .action(async (hostId: string) => {
      await revokeHost(context, hostId);
      context.output.json({ hostId, state: 'revoked' } satisfies ChangedHost);
      context.output.print(`${hostId} has no access any more; its runs continue on other hosts.`);
    });
}
