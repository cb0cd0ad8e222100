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
    if (error instanceof InfrastructureError || error instanceof SandboxLost || error instanceof SupervisorAway)
      throw error;
    if (error instanceof BenchError) throw error;
    // Our own waiting was given up.
    if ((error as Error).name === 'AbortError') throw error;
    const message = (error as Error).message;
    if (
      /no such container|no container with name or id|is marked for removal|container has already been removed/i.test(
        message,
      )
    )
      throw new SandboxLost(`${doing}: ${message}`, { cause: error });
    throw new InfrastructureError(`${doing}: ${message}`, { cause: error });
  }
}
