import { ipcRenderer } from 'electron';

const portMessage = 'dewpoint:port';

/** Hands one MessagePort of the page to main, once a load, and nothing else. */
const forward = (event: MessageEvent): void => {
  const [port] = event.ports;
  if (event.source !== window || event.data !== portMessage || port === undefined) return;
  window.removeEventListener('message', forward);
  ipcRenderer.postMessage(portMessage, null, [port]);
};

window.addEventListener('message', forward);
