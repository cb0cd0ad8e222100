import { z } from 'zod';
import { BenchError } from '../errors.js';

/** For a new host. Secret: `databaseUrl` has the token as its password. */
const invitationSchema = z.strictObject({
  schema: z.literal(1),
  /** Of the inviting program. */
  version: z.string(),
  hostId: z.string(),
  databaseUrl: z.string(),
  /** CA of the database's certificate, PEM. */
  databaseAuthority: z.string().optional(),
  temporalAuthority: z.string().optional(),
  /** Not secret: addresses, the namespace, the artifact store. */
  settings: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string()),
});
export type HostInvitation = z.infer<typeof invitationSchema>;

/** One word for a command line. */
export const encodeInvitation = (invitation: HostInvitation): string =>
  Buffer.from(JSON.stringify(invitation)).toString('base64url');

/** Throws BenchError (usage): not, or not a whole, invitation. */
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
