/** Bring the database's schema up to this program's; safe when many processes do it at once. */
export async function migrate(_databaseUrl: string): Promise<void> {
  throw new Error('not yet');
}
