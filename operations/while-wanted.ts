/** Ends this work's reads in PostgreSQL once the signal is aborted. */
export async function whileWanted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { whileWanted: reads } = await import('../db/while-wanted.js');
  return reads(signal, work);
}
