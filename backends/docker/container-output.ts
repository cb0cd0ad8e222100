import { Writable } from 'node:stream';
import type Docker from 'dockerode';

const OUTPUT_LIMIT = 64 * 1024;
const LOG_LIMIT_MS = 60_000;

export async function output(docker: Docker, container: Docker.Container): Promise<{ stdout: string; stderr: string }> {
  const abortSignal = AbortSignal.timeout(LOG_LIMIT_MS);
  const logs = await container.logs({ stdout: true, stderr: true, follow: true, abortSignal });
  const [stdout, stderr] = [boundedSink(), boundedSink()];
  docker.modem.demuxStream(logs, stdout.sink, stderr.sink);
  await new Promise((resolve, reject) => logs.once('end', resolve).once('error', reject));
  return { stdout: stdout.text(), stderr: stderr.text() };
}

function boundedSink() {
  const chunks: Buffer[] = [];
  let size = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size <= OUTPUT_LIMIT) chunks.push(chunk);
      done();
    },
  });
  return { sink, text: () => Buffer.concat(chunks).toString('utf8') };
}
