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
const pathOf = (file: File): string => {
  // Older versions of Electron store the path on the file itself.
  const written: unknown = Reflect.get(file, 'path');
  const utils: { readonly getPathForFile?: (file: File) => string } | undefined = webUtils;
  return utils?.getPathForFile?.(file) ?? (typeof written === 'string' ? written : '');
};

contextBridge.exposeInMainWorld('dewpoint', { pathOf });
