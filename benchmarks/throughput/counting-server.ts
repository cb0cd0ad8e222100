import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The bundled model file whose address is a variable. */
export const HTTP_MODEL = { name: 'vllm', variable: 'VLLM_BASE_URL' };

interface Completion {
  messages: { role: string }[];
}

/** Plays `scripted:counter:<steps>` over HTTP; its CPU time is this process's, not the home's. */
export async function countingServer(steps: number, latencyMs: number): Promise<{ url: string; stop: () => void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void sleep(latencyMs).then(() => {
        const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as Completion;
        const n = messages.filter(({ role }) => role === 'assistant').length + 1;
        const command = n > steps ? 'submit' : `echo ${n} >> counter.txt; wc -l < counter.txt`;
        const message = { role: 'assistant', content: `Step ${n}.\n\`\`\`\n${command}\n\`\`\`` };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({
            ...{ id: 'c', object: 'chat.completion', created: 0, model: HTTP_MODEL.name },
            choices: [{ index: 0, finish_reason: 'stop', message }],
            usage: { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 },
          }),
        );
      });
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
