import type Docker from 'dockerode';

interface EngineEvent {
  stream?: string;
  status?: string;
  progress?: string;
  error?: string;
  aux?: unknown;
}

/** Read the answer of a pull, build or import to its end; an error in its midst becomes an exception. */
export async function followEngine(
  docker: Docker,
  answer: NodeJS.ReadableStream,
  onProgress: (line: string) => void,
): Promise<void> {
  const events = await new Promise<EngineEvent[]>((resolve, reject) => {
    docker.modem.followProgress(
      answer,
      (error: Error | null, all: EngineEvent[]) => {
        if (error) reject(error);
        else resolve(all);
      },
      (event: EngineEvent) => {
        // A download's progress bar repeats for every few bytes.
        if (event.progress !== undefined) return;
        const line = (event.stream ?? event.status ?? '').trimEnd();
        if (line !== '') onProgress(line);
      },
    );
  });
  const failed = events.find((event) => event.error !== undefined);
  if (failed?.error !== undefined) throw new Error(failed.error);
}
