import type { Duplex } from 'node:stream';

/** Sockets that have not shown the token yet. Their number, their time and their bytes are limited. */
export interface PendingSockets {
  /** Call it before anything is read from the socket. */
  readonly enter: (socket: Duplex) => PendingSocket;
}

export interface PendingSocket {
  /** The socket has shown the token, so these limits end. False: too many sockets are admitted already. */
  readonly admit: () => boolean;
}

const mostWaiting = 32;
/** Pages that are open at the same time. Each may make this process hold one long message. */
const mostAdmitted = 64;
/** A frame with a token has less than a hundred bytes. */
const mostBytes = 4096;
/** Longer than the gentler limits, which send a reason. */
const longestWaitMs = 8_000;

/**
 * The limit counts raw bytes, because an incomplete frame is in memory before anyone sees it, and the limit for
 * messages cannot change after the token. If too many sockets wait, the one that waited longest is closed: a page shows
 * its token at once, and idle sockets must not keep it out.
 */
export function createPendingSockets(): PendingSockets {
  const waiting = new Set<Duplex>();
  let admitted = 0;
  return {
    enter(socket) {
      let bytes = 0;
      const count = (chunk: Buffer): void => {
        bytes += chunk.length;
        if (bytes > mostBytes) socket.destroy();
      };
      const timer = setTimeout(() => socket.destroy(), longestWaitMs);
      const leave = (): void => {
        clearTimeout(timer);
        socket.off('data', count);
        waiting.delete(socket);
      };
      for (const oldest of waiting) {
        if (waiting.size < mostWaiting) break;
        waiting.delete(oldest);
        oldest.destroy();
      }
      waiting.add(socket);
      socket.on('data', count).once('close', leave);
      return {
        admit() {
          if (admitted >= mostAdmitted || socket.destroyed) return false;
          leave();
          admitted += 1;
          socket.once('close', () => (admitted -= 1));
          return true;
        },
      };
    },
  };
}
