/**
 * Shows foreign HTML with its scripts, in an inner frame that is locked twice: by its attribute, and by the policy that
 * it inherits. A policy does not stop every connection, so what opens one past it is taken from the frame before the
 * first script of the page runs: calls of WebRTC, and elements that ask for a connection when they are put in. The command
 * that writes the clipboard after a click is taken away, too. That one is no boundary: a frame that a script makes has its
 * own, and no policy of Chromium reaches it.
 */
const lock = () => {
  for (const name of [
    'RTCPeerConnection',
    'webkitRTCPeerConnection',
    'RTCDataChannel',
    'RTCIceGatherer',
    'RTCIceTransport',
    'RTCDtlsTransport',
    'RTCSctpTransport',
    'RTCRtpSender',
    'RTCRtpReceiver',
    'WebTransport',
    'TCPSocket',
    'UDPSocket',
    'RTCQuicTransport',
    'RTCCertificate',
    'SharedWorker',
    'Worker',
  ])
    Object.defineProperty(globalThis, name, { value: undefined, writable: false, configurable: false });
  const command = Document.prototype.execCommand;
  const value = function execCommand(name, ...others) {
    const text = String(name);
    return /^(?:copy|cut)$/i.test(text) ? false : command.call(this, text, ...others);
  };
  Object.defineProperty(Document.prototype, 'execCommand', { value, writable: false, configurable: false });
};
const dropped =
  'link, meta[http-equiv], base, iframe, frame, frameset, object, embed, portal, fencedframe, template, noscript';
const clean = (root) => {
  for (const element of root.querySelectorAll(dropped)) element.remove();
  for (const link of root.querySelectorAll('[href], [ping]')) {
    link.removeAttribute('ping');
    if (!link.getAttribute('href')?.startsWith('#')) link.removeAttribute('href');
  }
};
// Some texts mean something else when they are read again, so they are read until they stay the same.
const settled = (html) => {
  let text = html;
  for (let turn = 0; turn < 8; turn += 1) {
    const read = new DOMParser().parseFromString(text, 'text/html');
    clean(read);
    const next = read.documentElement.outerHTML;
    if (next === text) return text;
    text = next;
  }
  return '';
};
addEventListener('message', (event) => {
  if (event.source !== parent || typeof event.data?.html !== 'string') return;
  const text = settled(event.data.html);
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.title = event.data.title;
  frame.srcdoc = '<!doctype html><script>(' + lock + ')();document.currentScript.remove()</scr' + 'ipt>' + text;
  document.body.replaceChildren(frame);
});
parent.postMessage({ type: 'ready' }, '*');
