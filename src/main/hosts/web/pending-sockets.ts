import type { Duplex } from 'node:stream';

/** Sockets that have not shown the token yet: few, for a short time, and of each few bytes are taken. */
export interface PendingSockets {
  /** To be called before anything is read from it. */
  readonly enter: (socket: Duplex) => PendingSocket;
}

export interface PendingSocket {
  /** It has shown the token, and the limits here end. False: so many have that there is no room for one more. */
  readonly admit: () => boolean;
}

const mostWaiting = 32;
/** Of pages that are open at the same time; each may make this process hold one long message. */
const mostAdmitted = 64;
/** A token in its frame is under a hundred bytes. */
const mostBytes = 4096;
/** Behind the kinder ends, which send a reason. */
const longestWaitMs = 8_000;

/**
 * The limit is kept on the raw bytes, because a frame that is not whole yet lies in memory before anyone sees it, and
 * the limit on messages cannot change with the token. Where too many wait the one that waited longest has to go: a
 * page shows its token at once, and whoever only holds places must not keep it out.
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
