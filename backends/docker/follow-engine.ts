import type { Readable } from 'node:stream';
import type Docker from 'dockerode';

interface EngineEvent {
  stream?: string;
  status?: string;
  progress?: string;
  error?: string;
  aux?: unknown;
}

/**
 * Reads the response of a pull, build or import to its end; throws errors in the stream. Aborting
 * closes the connection, and the engine then ends the pull or build.
 */
export async function followEngine(
  docker: Docker,
  answer: NodeJS.ReadableStream,
  onProgress: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const events = await new Promise<EngineEvent[]>((resolve, reject) => {
    signal?.addEventListener('abort', () => {
      (answer as Readable).destroy();
      reject(signal.reason as Error);
    });
    docker.modem.followProgress(
      answer,
      (error: Error | null, all: EngineEvent[]) => {
        if (error) reject(error);
        else resolve(all);
      },
      (event: EngineEvent) => {
        // Skip the repeated lines of a progress bar.
        if ((event.progress ?? '') !== '') return;
        const line = (event.stream ?? event.status ?? '').trimEnd();
        if (line !== '') onProgress(line);
      },
    );
  });
  const failed = events.find((event) => event.error !== undefined);
  if (failed?.error !== undefined) throw new Error(failed.error);
}
