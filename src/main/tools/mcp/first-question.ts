import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { fieldOf } from '@shared/unknown-value.ts';

/** A program that is silent for so long after the first question is asked whether it listens at all. */
const silentMs = 2_000;
/** By then it has answered what it was asked before that, if it ever does. */
const graceMs = 500;
const aliveId = 'dewpoint-alive';

export interface FirstQuestion {
  readonly sent: (message: JSONRPCMessage) => void;
  /** False: it is no message for the client. */
  readonly isForClient: (message: JSONRPCMessage) => boolean;
  readonly end: () => void;
}

/**
 * Tells a program that is slow to start from one of the old protocol. An old one need not answer the question of the new
 * protocol, but each answers a ping; a slow one answers both in order. So who answers the ping alone is old, and the client
 * is told what an old one should have said. `waitMs` is all the time that there is.
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
      // One that is gone by then is told of as such.
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
      // A new one knows no ping, and says so.
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
