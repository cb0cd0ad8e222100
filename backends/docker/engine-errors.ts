import { BenchError, InfrastructureError, SandboxLost, SupervisorAway } from '../../domain/errors.js';

export const statusOf = (error: unknown): number | undefined => (error as { statusCode?: number }).statusCode;

export const unlessStatus = (status: number) => (error: unknown) => {
  if (statusOf(error) !== status) throw error;
};

/** Docker answers 409, Podman 500 with a text. */
export const nameIsTaken = (error: unknown): boolean =>
  statusOf(error) === 409 || /already in use/i.test((error as Error).message);

/** A missing or vanishing container becomes SandboxLost; other errors may be temporary. */
export async function withEngineErrors<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translatedError(doing, error);
  }
}

export async function* eachWithEngineErrors<T>(doing: string, pieces: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* pieces;
  } catch (error) {
    throw translatedError(doing, error);
  }
}

function translatedError(doing: string, error: unknown): Error {
  if (error instanceof InfrastructureError || error instanceof SandboxLost || error instanceof SupervisorAway)
    return error;
  if (error instanceof BenchError) return error;
  // The caller aborted.
  if ((error as Error).name === 'AbortError') return error as Error;
  const message = (error as Error).message;
  if (
    /no such container|no container with name or id|is marked for removal|container has already been removed/i.test(
      message,
    )
  )
    return new SandboxLost(`${doing}: ${message}`, { cause: error });
  return new InfrastructureError(`${doing}: ${message}`, { cause: error });
}
