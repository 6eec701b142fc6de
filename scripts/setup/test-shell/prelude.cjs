// Runs first in every file of the test build (electron.vite.config.ts beside it): what the program uses, and the Node 18
// and Chromium 114 of the test shell do not have. In a newer runtime it does nothing.
(() => {
  const add = (target, name, value) => {
    if (!(name in target)) Object.defineProperty(target, name, { value, configurable: true, writable: true });
  };
  add(Promise, 'withResolvers', function withResolvers() {
    const made = {};
    made.promise = new this((resolve, reject) => Object.assign(made, { resolve, reject }));
    return made;
  });
  add(URL, 'parse', (text, base) => {
    try {
      return new URL(text, base);
    } catch {
      return null;
    }
  });
  add(URL, 'canParse', (text, base) => URL.parse(text, base) !== null);
  add(AbortSignal, 'any', (signals) => {
    const controller = new AbortController();
    for (const signal of signals) {
      if (signal.aborted) controller.abort(signal.reason);
      else signal.addEventListener('abort', () => controller.abort(signal.reason), { signal: controller.signal });
    }
    return controller.signal;
  });
  // The page and its preload script end here.
  if (typeof process === 'undefined' || process.type !== 'browser') return;
  add(require('node:zlib'), 'crc32', (data, seed = 0) => {
    let crc = ~seed;
    for (const byte of Buffer.from(data)) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc >>> 0;
  });
  // undici needs it.
  add(globalThis, 'File', require('node:buffer').File);
  add(require('node:tls'), 'getCACertificates', () => require('node:tls').rootCertificates);
})();
