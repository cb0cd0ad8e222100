import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';

export type TemporalAnswer = { kind: 'ok' } | { kind: 'no_namespace' } | { kind: 'unavailable'; reason: string };

const NOT_FOUND = '5';

/**
 * One DescribeNamespace over plain HTTP/2: proves that the server answers, that its store is open and that the
 * namespace exists, without loading the Temporal client into the supervisor and into every command.
 */
export function probeTemporal(address: string, namespace: string, timeoutMs = 3000): Promise<TemporalAnswer> {
  return new Promise((resolve) => {
    const finish = (answer: TemporalAnswer) => {
      clearTimeout(timer);
      session.destroy();
      resolve(answer);
    };
    const unavailable = (reason: string) => finish({ kind: 'unavailable', reason });
    const timer = setTimeout(() => unavailable(`no answer in ${timeoutMs / 1000} s`), timeoutMs);
    let session: ClientHttp2Session;
    try {
      session = connect(`http://${address}`);
    } catch {
      clearTimeout(timer);
      return resolve({ kind: 'unavailable', reason: 'not an address; expected host:port' });
    }
    session.on('error', (error: NodeJS.ErrnoException) => unavailable(error.code ?? error.message));
    const request = session.request({
      ':method': 'POST',
      ':path': '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const judge = (headers: IncomingHttpHeaders) => {
      const status = headers['grpc-status'];
      if (typeof status !== 'string') return;
      if (status === '0') return finish({ kind: 'ok' });
      if (status === NOT_FOUND) return finish({ kind: 'no_namespace' });
      const message = headers['grpc-message'];
      unavailable(`gRPC status ${status}: ${typeof message === 'string' ? decodeURIComponent(message) : ''}`);
    };
    request.on('response', judge);
    request.on('trailers', judge);
    request.on('error', (error: NodeJS.ErrnoException) => unavailable(error.code ?? error.message));
    request.on('close', () => unavailable('the connection was closed: not a Temporal server?'));
    request.resume();
    request.end(describeNamespaceRequest(namespace));
  });
}

/** A gRPC frame (no compression, length) around a message whose field 1 is the namespace. */
function describeNamespaceRequest(namespace: string): Buffer {
  const name = Buffer.from(namespace);
  const length: number[] = [];
  for (let rest = name.length; ; rest >>>= 7) {
    if (rest < 0x80) {
      length.push(rest);
      break;
    }
    length.push((rest & 0x7f) | 0x80);
  }
  const message = Buffer.concat([Buffer.from([0x0a, ...length]), name]);
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(message.length, 1);
  return Buffer.concat([frame, message]);
}
