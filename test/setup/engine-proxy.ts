import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export async function engineOverTcp(socketPath: string): Promise<{ url: string; close: () => Promise<void> }> {
  const clients = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const engine = connect({ path: socketPath, allowHalfOpen: true });
    clients.add(client);
    client.pipe(engine);
    engine.pipe(client);
    const end = () => {
      clients.delete(client);
      client.destroy();
      engine.destroy();
    };
    for (const side of [client, engine]) side.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `tcp://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Clients keep idle connections for minutes: the server would wait for them.
        for (const client of clients) client.destroy();
      }),
  };
}
