import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { fieldOf } from '@shared/unknown-value.ts';

/** A program that is silent for this long after the first question gets a ping. */
const silentMs = 2_000;
/** After an answer to the ping, the answer to the earlier question may take this much longer. */
const graceMs = 500;
const aliveId = 'dewpoint-alive';

export interface FirstQuestion {
  readonly sent: (message: JSONRPCMessage) => void;
  /** False: the message is not for the client. */
  readonly isForClient: (message: JSONRPCMessage) => boolean;
  readonly end: () => void;
}

/**
 * Tells a slow program from one that speaks only the old protocol. An old program may ignore the question of the new
 * protocol, but answers a ping. A slow one answers both in order. So a program that answers only the ping is old, and
 * the client gets the error that an old program should have sent. `waitMs`: the time that the client waits in total.
 */
export function createFirstQuestion(
  send: (message: JSONRPCMessage) => Promise<void>,
  tell: (message: JSONRPCMessage) => void,
  waitMs: number,
): FirstQuestion {
  let asked: string | number | null = null;
  let timer: NodeJS.Timeout | undefined;
  const later = (ms: number, work: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };
  const end = (): void => {
    clearTimeout(timer);
    asked = null;
  };
  return {
    end,
    sent: (message) => {
      if (!('method' in message && 'id' in message) || message.method !== 'server/discover') return;
      asked = message.id;
      // A failure to write is reported by the end of the program.
      const ping = (): void => void send({ jsonrpc: '2.0', id: aliveId, method: 'ping' }).catch(() => undefined);
      later(Math.min(silentMs, waitMs / 4), ping);
    },
    isForClient: (message) => {
      const id = fieldOf(message, 'id');
      if ('method' in message || (id !== asked && id !== aliveId)) return true;
      if (id === asked) {
        end();
        return true;
      }
      const waiting = asked;
      // A program of the new protocol answers the ping with an error.
      if (waiting !== null && 'result' in message) {
        later(Math.min(graceMs, waitMs / 8), () => {
          end();
          tell({ jsonrpc: '2.0', id: waiting, error: { code: -32_601, message: 'Method not found' } });
        });
      }
      return false;
    },
  };
}
