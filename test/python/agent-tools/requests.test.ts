import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentCommands, compileTools, TOOLS } from './agent-commands.js';

compileTools();

let tools: AgentCommands;
let servers: Server[];
beforeEach(() => {
  tools = new AgentCommands();
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  tools.remove();
});

/** A supervisor that answers every request with one line. Returns what it was asked. */
async function supervisor(answer: string): Promise<string[]> {
  const asked: string[] = [];
  const server = createServer((socket) => {
    let line = '';
    socket.on('data', (chunk) => {
      line += chunk.toString();
      if (!line.endsWith('\n')) return;
      asked.push(line.trimEnd());
      socket.end(`${answer}\n`);
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(join(tools.bin, 'sock'), done));
  return asked;
}

const remember = (...texts: string[]): void =>
  writeFileSync(join(tools.bin, 'memory.json'), JSON.stringify({ records: texts.map((text) => ({ text })) }));

describe('validate and submit', () => {
  it('ask the supervisor by their names', async () => {
    const asked = await supervisor('ok It will be done.');
    expect(await tools.output('validate; submit; validate --help; validate now')).toBe(
      [
        'It will be done.',
        'It will be done.',
        'Usage: validate',
        'Ask for an evaluation of the work as it stands. It runs when the current command has ended.',
        'Usage: validate',
        'validate takes no arguments.',
      ].join('\n'),
    );
    expect(asked).toEqual(['validate', 'submit']);
  });

  it('fail when they are refused', async () => {
    await supervisor('refused Not now.');
    expect(await tools.shell('submit')).toEqual({ output: 'Not now.', exitCode: 1 });
  });
});

describe('the memory', () => {
  it('is written by the supervisor alone', async () => {
    const asked = await supervisor('ok Remembered.');
    remember();
    expect(await tools.output(`memory_write "tried lr=0.1: 'ok' é\nnext: 0.2"; memory_write two words`)).toBe(
      'Remembered.\nRemembered.',
    );
    expect(asked.map((line) => line.split(' ')[0])).toEqual(['memory', 'memory']);
    expect(asked.map((line) => Buffer.from(line.split(' ')[1]!, 'base64').toString())).toEqual([
      "tried lr=0.1: 'ok' é\nnext: 0.2",
      'two words',
    ]);
  });

  it('gives the two closest notes', async () => {
    remember(
      'A convolutional network with dropout reached accuracy 0.91',
      'Gradient boosting with a learning rate of 0.05 overfits the training data',
      'The learning rate 0.1 diverges; use 0.01',
    );
    const output = await tools.output('memory_read "which learning rates were tried?"');
    expect(output.split('\n')).toEqual([
      'Query: which learning rates were tried?',
      'Closest notes:',
      expect.stringMatching(/^Match 1: The learning rate 0\.1 diverges; use 0\.01 \| similarity score: 0\.\d\d$/),
      expect.stringMatching(/^Match 2: Gradient boosting .* \| similarity score: 0\.\d\d$/),
    ]);
    expect(
      await tools.output('memory_read "A convolutional network with dropout reached accuracy 0.91" | grep "Match 1"'),
    ).toMatch(/score: 1\.00$/);
  });

  it('may be empty, damaged, or not kept at all', async () => {
    expect(await tools.output('memory_read x; memory_write x; memory_read')).toBe(
      ['This run keeps no memory.', 'This run keeps no memory.', 'Usage: memory_read "<query>"'].join('\n'),
    );
    remember();
    expect(await tools.output('memory_read x')).toBe('Query: x\nThe memory is empty.');
    expect(await tools.output(`memory_write "$(head -c 16385 /dev/zero | tr '\\0' x)"`)).toMatch(
      /16384 bytes, and this one has 16385/,
    );
    writeFileSync(join(tools.bin, 'memory.json'), '{"records": [3]}');
    expect(await tools.shell('memory_read x')).toEqual({ output: 'The memory cannot be read.', exitCode: 1 });
  });
});

/** A web server; the address ends without a slash. */
async function web(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createHttpServer(answer);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('literature_search', () => {
  it('prints as many papers as were asked for, over several pages, also those without a PDF', async () => {
    const asked: URLSearchParams[] = [];
    const address = await web((request, response) => {
      const parameters = new URL(request.url!, 'http://x').searchParams;
      asked.push(parameters);
      const page = parameters.has('token') ? 2 : 1;
      const papers = [1, 2].map((n) => ({
        paperId: `${page}-${n}`,
        title: `é ${n}`,
        abstract: null,
        openAccessPdf: n === 1 ? { url: `https://x/${n}.pdf` } : null,
      }));
      response.end(JSON.stringify({ total: 4, token: page === 1 ? 'more' : null, data: papers }));
    });
    const environment = { LITERATURE_SEARCH_URL: address };
    const lines = (await tools.output('literature_search "deep learning" 3', environment)).split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { paperId: '1-1', title: 'é 1', abstract: null, pdf_url: 'https://x/1.pdf' },
      { paperId: '1-2', title: 'é 2', abstract: null, pdf_url: null },
      { paperId: '2-1', title: 'é 1', abstract: null, pdf_url: 'https://x/1.pdf' },
    ]);
    expect(asked.map((parameters) => [parameters.get('query'), parameters.get('token')])).toEqual([
      ['deep learning', null],
      ['deep learning', 'more'],
    ]);
    expect((await tools.output('literature_search x', environment)).split('\n')).toHaveLength(4);
    expect(await tools.output('literature_search x 0; literature_search x many; literature_search', environment)).toBe(
      [
        'Usage: literature_search "<query>" [<num_results>]\nError: <num_results> must be a number from 1 to 100',
        'Usage: literature_search "<query>" [<num_results>]\nError: <num_results> must be a number from 1 to 100',
        'Usage: literature_search "<query>" [<num_results>]',
      ].join('\n'),
    );
  });

  it('says in one line what is wrong with the network or the answer', async () => {
    const address = await web((request, response) => {
      response.statusCode = request.url!.startsWith('/500') ? 500 : 200;
      response.end('<html>');
    });
    for (const [url, message] of [
      [`${address}/500`, 'status 500'],
      [address, 'not JSON'],
      ['http://127.0.0.1:9', 'cannot be reached'],
      ['file:///etc/passwd', 'not an http or https address'],
    ] as const) {
      const { output } = await tools.shell('literature_search x', { LITERATURE_SEARCH_URL: url });
      expect(output.split('\n')).toHaveLength(1);
      expect(output).toContain(message);
    }
  });
});

describe('parse_pdf_url', () => {
  /** With a library of our own in the place of pypdf: what it returns is not what is tested. */
  async function parsed(url: string, library: string): Promise<string> {
    const code = `
import sys, types; sys.dont_write_bytecode = True; sys.path.insert(0, ${JSON.stringify(TOOLS)})
from agent_tools import pdf, main
pdf._READING_SECONDS = 1
class Page:
    def __init__(self, text): self.text = text
    def extract_text(self): return self.text() if callable(self.text) else self.text
class PdfReader:
    def __init__(self, file): self.pages = pages(file.read())
def pages(content):
    ${library}
pdf._reader = lambda: types.SimpleNamespace(PdfReader=PdfReader)
sys.exit(main.run("parse_pdf_url", [${JSON.stringify(url)}]))`;
    const { stdout } = await promisify(execFile)('python3', ['-c', code]).catch(
      (error: { stdout: string; stderr: string }) => {
        expect(error.stderr).toBe('');
        return error;
      },
    );
    return stdout.trimEnd();
  }

  it('prints the pages, and says what it leaves out', async () => {
    const address = await web((_, response) => response.end('%PDF-1.4 x'));
    expect(await parsed(address, 'return [Page("a" * 200), Page("b" * 200)]')).toBe(
      `${'a'.repeat(200)}\n\n${'b'.repeat(200)}`,
    );
    expect(await parsed(address, 'return [Page("x" * 150000)]')).toBe(
      `${'x'.repeat(100_000)}\n[50000 more characters]`,
    );
    expect(await parsed(address, 'return [Page("word " * 100)] * 300')).toMatch(/\[100 of 300 pages are not shown\]$/);
    expect(await parsed(address, 'return [Page("x")]')).toBe(
      'x\n[the PDF has next to no text: it may hold scanned pages]',
    );
  });

  it('survives a file that is broken, or made to take forever', async () => {
    const address = await web((_, response) => response.end('%PDF-1.4 x'));
    expect(await parsed(address, 'raise KeyError("/Root")')).toMatch(
      /^Error: the PDF at .* cannot be read: KeyError: '\/Root'$/,
    );
    expect(
      await parsed(address, 'def forever():\n        while True: pass\n    return [Page("x"), Page(forever)]'),
    ).toMatch(/^x\n\[reading was stopped/);
    expect(await parsed(address, 'return [Page("x"), Page(lambda: bytearray(1 << 40))]')).toMatch(
      /^x\n\[reading took too much memory/,
    );
  });

  it('refuses what is no PDF, and addresses that are none', async () => {
    const address = await web((request, response) => {
      if (request.url === '/away') response.writeHead(302, { location: 'file:///etc/passwd' });
      else if (request.url === '/none') response.writeHead(404);
      response.end('<html>');
    });
    expect(await parsed(address, 'return []')).toBe(`Error: ${address} is not a PDF.`);
    expect(await parsed(`${address}/none`, 'return []')).toBe(`Error: ${address}/none answers with status 404.`);
    expect(await parsed(`${address}/away`, 'return []')).toMatch(
      /^Error: .*(is not allowed|not an http or https address|status 302)/,
    );
    expect(await parsed('/etc/passwd', 'return []')).toBe('Error: /etc/passwd is not an http or https address.');
  });
});
