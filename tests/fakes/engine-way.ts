import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A proxy between Dewpoint and the real engine. Tests make it vanish, freeze and return, which they must not do to the
 * engine.
 */
export class EngineWay {
  readonly path: string;
  #sockets = new Set<Socket>();
  #server: Server | null = null;
  #isFrozen = false;

  constructor(path: string) {
    this.path = path;
  }

  async open(): Promise<void> {
    this.#isFrozen = false;
    const server = createServer({ allowHalfOpen: true }, (client) => {
      const engine = connect({ path: '/var/run/docker.sock', allowHalfOpen: true });
      for (const socket of [client, engine]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => this.#sockets.delete(socket));
      }
      client.on('close', () => engine.destroy());
      engine.on('close', () => client.destroy());
      if (this.#isFrozen) return;
      client.pipe(engine);
      engine.pipe(client);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.path, resolve));
  }

  freeze(): void {
    this.#isFrozen = true;
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
