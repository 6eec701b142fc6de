import { createHash } from 'node:crypto';
import diagramScript from '../../../resources/programs/pages/diagram.js?raw';
import runningScript from '../../../resources/programs/pages/preview-with-scripts.js?raw';
import quietScript from '../../../resources/programs/pages/preview.js?raw';

/** A document of Dewpoint's own that holds foreign content. It has no origin and reaches no network. */
export interface LockedFrame {
  readonly contentType: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const frameStyle = 'html,body,iframe{margin:0;width:100%;height:100%;border:0;display:block;background:#fff}';
const quietStyle = 'html{background:#fff}';

/** By the path in their address. */
export const lockedFrames: ReadonlyMap<string, LockedFrame> = new Map([
  ['/frames/preview.html', frame({ script: quietScript, style: quietStyle, mayRunOthers: false })],
  ['/frames/preview-with-scripts.html', frame({ script: runningScript, style: frameStyle, mayRunOthers: true })],
  // It is outside of the visible area, and as wide as text, so that labels are measured as they are drawn.
  ['/frames/diagram.html', frame({ script: diagramScript, style: 'body{width:800px}', mayRunOthers: true })],
]);

interface FrameParts {
  readonly script: string;
  readonly style: string;
  /** Foreign scripts run in it, or in its inner frame. */
  readonly mayRunOthers: boolean;
}

function frame({ script, style, mayRunOthers }: FrameParts): LockedFrame {
  const body = `<!doctype html><meta charset="utf-8"><title>Dewpoint</title><style>${style}</style><body></body><script>${script}</script>`;
  const own = `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${mayRunOthers ? "'unsafe-inline'" : own}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    'media-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "webrtc 'block'",
    // Also locks the document if it is opened directly by its address.
    'sandbox allow-scripts',
  ];
  return {
    contentType: 'text/html; charset=utf-8',
    body: Buffer.from(body),
    headers: {
      'content-security-policy': policy.join('; '),
      'connection-allowlist': '()',
      'permissions-policy': 'clipboard-read=(), clipboard-write=()',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'x-dns-prefetch-control': 'off',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-cache',
    },
  };
}
