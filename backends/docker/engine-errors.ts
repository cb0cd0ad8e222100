import { SupervisorAway } from '../shell/shell-client.js';
import { BenchError, InfrastructureError, SandboxLost } from '../../domain/errors.js';

/** The status of the engine's answer, if the error is one. */
export const statusOf = (error: unknown): number | undefined => (error as { statusCode?: number }).statusCode;

export const unlessStatus = (status: number) => (error: unknown) => {
  if (statusOf(error) !== status) throw error;
};

/** Docker says 409, Podman 500 with words. */
export const nameIsTaken = (error: unknown): boolean =>
  statusOf(error) === 409 || /already in use/i.test((error as Error).message);

/** The engine's errors in our terms: no such container, or soon none, means that the sandbox is lost, all else may pass. */
export async function translated<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translatedError(doing, error);
  }
}

/** The same for what comes piece by piece. */
export async function* translatedEach<T>(doing: string, pieces: AsyncIterable<T>): AsyncGenerator<T> {
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
  // Our own waiting was given up.
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
