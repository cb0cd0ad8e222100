/** Reads of this work end in PostgreSQL once the signal is aborted: nobody waits for them any more. */
export async function whileWanted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { whileWanted: reads } = await import('../db/while-wanted.js');
  return reads(signal, work);
}
