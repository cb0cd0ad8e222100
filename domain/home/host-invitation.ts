import { z } from 'zod';
import { BenchError } from '../errors.js';

/** What a new machine needs to become a host. `databaseUrl` holds the token as its password: secret. */
const invitationSchema = z.strictObject({
  schema: z.literal(1),
  /** Of the program that invites. */
  version: z.string(),
  hostId: z.string(),
  databaseUrl: z.string(),
  /** Authority of the database's certificate, PEM. */
  databaseAuthority: z.string().optional(),
  temporalAuthority: z.string().optional(),
  /** Further settings, none of them secret: addresses, the namespace, the artifact store. */
  settings: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string()),
});
export type HostInvitation = z.infer<typeof invitationSchema>;

/** One word for a command line. */
export const encodeInvitation = (invitation: HostInvitation): string =>
  Buffer.from(JSON.stringify(invitation)).toString('base64url');

/** BenchError (usage): it is none, or not all of it. */
export function decodeInvitation(text: string): HostInvitation {
  try {
    return invitationSchema.parse(JSON.parse(Buffer.from(text.trim(), 'base64url').toString('utf8')));
  } catch (cause) {
    throw new BenchError('usage', 'this is not an invitation of `bench hosts invite`, or is incomplete', {
      code: 'invitation.invalid',
      remedy: 'Copy the whole line that it printed, with the same version of bench.',
      cause,
    });
  }
}
