import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

const ticketSchema = z.strictObject({
  sha256: z.string(),
  bytes: z.int().min(0),
  fileName: z.string(),
  /** In ms since 1970. */
  until: z.number(),
});
export type DownloadTicket = z.infer<typeof ticketSchema>;

/** Signed with a key of this process, for browsers' own downloads, which carry no token. */
export class DownloadTickets {
  private readonly key = randomBytes(32);

  issue(ticket: DownloadTicket): string {
    const text = Buffer.from(JSON.stringify(ticket)).toString('base64url');
    return `${text}.${this.sign(text).toString('base64url')}`;
  }

  /** Null: forged, expired, or of another process. */
  read(given: string, now = Date.now()): DownloadTicket | null {
    const [text = '', signature = ''] = given.split('.');
    const [presented, right] = [Buffer.from(signature, 'base64url'), this.sign(text)];
    if (presented.length !== right.length || !timingSafeEqual(presented, right)) return null;
    const ticket = ticketSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
    return ticket.until > now ? ticket : null;
  }

  private sign(text: string): Buffer {
    return createHmac('sha256', this.key).update(text).digest();
  }
}
