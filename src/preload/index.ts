import { contextBridge, ipcRenderer, webUtils } from 'electron';

const portMessage = 'dewpoint:port';

/** Passes one MessagePort of the page to main, once per load. */
const forward = (event: MessageEvent): void => {
  const [port] = event.ports;
  if (event.source !== window || event.data !== portMessage || port === undefined) return;
  window.removeEventListener('message', forward);
  ipcRenderer.postMessage(portMessage, null, [port]);
};

window.addEventListener('message', forward);

/**
 * The path of a file that the user dropped or chose. The page already has this file, and learns nothing about others.
 */
const pathOf = (file: File): string => webUtils.getPathForFile(file);

contextBridge.exposeInMainWorld('dewpoint', { pathOf });
