import { contextBridge, ipcRenderer, webUtils } from 'electron';

const portMessage = 'dewpoint:port';

/** Hands one MessagePort of the page to main, once a load. */
const forward = (event: MessageEvent): void => {
  const [port] = event.ports;
  if (event.source !== window || event.data !== portMessage || port === undefined) return;
  window.removeEventListener('message', forward);
  ipcRenderer.postMessage(portMessage, null, [port]);
};

window.addEventListener('message', forward);

/** Where a file lies that a person dropped or chose: the page has the file, and learns nothing of any other. */
const pathOf = (file: File): string => {
  // Older versions of Electron write it on the file itself.
  const written: unknown = Reflect.get(file, 'path');
  const utils: { readonly getPathForFile?: (file: File) => string } | undefined = webUtils;
  return utils?.getPathForFile?.(file) ?? (typeof written === 'string' ? written : '');
};

contextBridge.exposeInMainWorld('dewpoint', { pathOf });
