import { ipcMain } from 'electron';
import type { IpcMainEvent, MessagePortMain, WebContents } from 'electron';
import type { Channel, ChannelServer } from '../../server/serve-channel.ts';
import { isPage } from './window.ts';

/** The only message that a preload sends. It carries the port and nothing else. */
const portMessage = 'dewpoint:port';

/**
 * Takes the port of a page and serves the contract on it, with the server of its window. Only the top frame of
 * Dewpoint's own page is served. A page has one port: a later one, after a reload, closes the earlier one with all its
 * requests.
 */
export function acceptPorts(serverOf: (page: WebContents) => ChannelServer, url: string): void {
  const open = new Map<number, () => void>();
  ipcMain.on(portMessage, (event) => {
    const [port] = event.ports;
    if (port === undefined) return;
    if (!isOwnPage(event, url)) {
      port.close();
      return;
    }
    open.get(event.sender.id)?.();
    const close = serve(serverOf(event.sender), port);
    open.set(event.sender.id, close);
    event.sender.once('destroyed', () => {
      close();
      open.delete(event.sender.id);
    });
  });
}

function isOwnPage(event: IpcMainEvent, url: string): boolean {
  // Null for a frame that is gone.
  const frame = event.senderFrame;
  return frame !== null && frame.parent === null && isPage(frame.url, url);
}

function serve(server: ChannelServer, port: MessagePortMain): () => void {
  const listeners: (() => void)[] = [];
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    port.close();
    for (const listener of listeners) listener();
  };
  port.on('close', close);
  const channel: Channel = {
    send: (message) => void (isClosed || port.postMessage(message)),
    onMessage: (listener) => void port.on('message', (event) => listener(event.data)),
    onClose: (listener) => void listeners.push(listener),
  };
  server.serve(channel);
  port.start();
  return close;
}
