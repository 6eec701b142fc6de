import { readFile, readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { orNoted } from '../lib/log.ts';

export interface PageFile {
  readonly contentType: string;
  /** Null if the file is gone, as one of an old build is some days after a new one. */
  readonly read: () => Promise<Buffer | null>;
}

/** The files of the page by the path in their address: `/index.html`, `/assets/…`. `/` stands for the first. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/**
 * Finds the files of the built page. Requests are only looked up among these names, so that no spelling of a path
 * reaches another file. A file is read when it is first asked for, and then kept, so a page stays whole after an update
 * of the program. Throws `not-found` if nothing was built.
 */
export async function findPageFiles(folder: string): Promise<PageFiles> {
  const files = new Map<string, PageFile>();
  for (const path of await filesUnder(folder)) {
    const contentType = contentTypes[extname(path)];
    if (contentType === undefined) continue;
    files.set(`/${relative(folder, path).split(sep).join('/')}`, { contentType, read: readOnce(path) });
  }
  const index = files.get('/index.html');
  // It is read at once: it names the other files of its own build, and has the same name in each.
  if (index === undefined || (await index.read()) === null) {
    throw new AppError('not-found', 'The built page was not found.', { hint: 'Build it: npm run build' });
  }
  return files.set('/', index);
}

function readOnce(path: string): () => Promise<Buffer | null> {
  let body: Buffer | null = null;
  return async () => (body ??= await readFile(path).catch(orNoted('A file of the page was not read', null)));
}

async function filesUnder(folder: string): Promise<readonly string[]> {
  // The caller reports that there is no built page.
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    orNoted('The files of the page were not read', []),
  );
  const nested = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
  return (await Promise.all(nested)).flat();
}

/**
 * The content policy that the browser gets with each file: the page's own scripts and styles, its own connection
 * (`connect`: a source list), nothing inline, nothing foreign, no HTML made from text.
 */
export function pageHeaders(connect: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Attached images are inside of the page itself.
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connect}`,
    // Documents of Dewpoint's own with foreign content: `locked-frames.ts`.
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-cache',
  };
}
