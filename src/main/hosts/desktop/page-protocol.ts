import { protocol } from 'electron';
import type { Session } from 'electron';
import type { PageFiles } from '../page-files.ts';
import { pageHeaders } from '../page-files.ts';

/** Where the page lives. An own scheme: `file:` would let a page read the disk. */
export const pageUrl = 'app://dewpoint/';

/** Must be called before the app is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Answers the page's own files with its policy; anything else is not there. */
export function servePage(session: Session, files: PageFiles): void {
  const headers = pageHeaders("'self'");
  session.protocol.handle('app', (request) => {
    const url = new URL(request.url);
    const file = url.host === 'dewpoint' && request.method === 'GET' ? files.get(url.pathname) : undefined;
    if (file === undefined) return new Response('not found', { status: 404, headers });
    return new Response(new Uint8Array(file.body), { headers: { ...headers, 'content-type': file.contentType } });
  });
}
