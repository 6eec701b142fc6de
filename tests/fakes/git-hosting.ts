import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdtempSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { gitEnvironment } from './real-repository.ts';

type Kind = 'gitea' | 'github' | 'gitlab';

interface Request {
  readonly number: number;
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly isDraft: boolean;
}

/**
 * A host of repositories. Pushes are taken by the real git (`git http-backend`); its interface is made after the public
 * documents of the service. Everything needs the token.
 */
export interface GitHosting {
  readonly origin: string;
  readonly host: string;
  /** The bare repository of `ada/app`, for git. */
  readonly folder: string;
  readonly requests: Request[];
  readonly issues: { number: number; title: string; author: string; text: string }[];
  readonly comments: { author: string; path: string | null; line: number; text: string }[];
  /** Answers all calls of the interface with this status. Null: as usual. */
  fault: { status: number; headers?: Record<string, string>; drops?: boolean } | null;
  /** How git's own server answers a call that sends something: as usual, never, cut off, or with a web page. */
  pushes: 'usual' | 'hang' | 'drop' | 'a web page';
  /** The token in each call so far, and its path. */
  readonly seen: { readonly path: string; readonly hasToken: boolean }[];
  close(): Promise<void>;
}

export const hostingToken = 'made-token-1234567890';

export async function gitHosting(kind: Kind = 'gitea'): Promise<GitHosting> {
  const root = mkdtempSync(join(tmpdir(), 'dewpoint-hosting-'));
  const folder = join(root, 'ada/app.git');
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', folder], { env: gitEnvironment });
  execFileSync('git', ['-C', folder, 'config', 'http.receivepack', 'true'], { env: gitEnvironment });
  const requests: Request[] = [];
  const comments: GitHosting['comments'] = [];
  const issues: GitHosting['issues'] = [];
  const seen: GitHosting['seen'] = [];
  const scene: Pick<GitHosting, 'fault' | 'pushes'> = { fault: null, pushes: 'usual' };
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const origin = `http://127.0.0.1:${port}`;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', origin);
    const login = request.headers.authorization ?? '';
    const basic = Buffer.from(login.replace(/^Basic /u, ''), 'base64').toString();
    const hasToken = login === `Bearer ${hostingToken}` || basic.endsWith(`:${hostingToken}`);
    seen.push({ path: url.pathname, hasToken });
    const body = await bodyOf(request);
    if (url.pathname.startsWith('/ada/app.git/')) {
      if (!hasToken) return send(response, 401, { message: 'no token' });
      if (scene.pushes === 'a web page') return void response.end('<html>Sign in</html>');
      if (request.method === 'POST' && scene.pushes === 'drop') return void request.socket.destroy();
      if (request.method === 'POST' && scene.pushes === 'hang') return;
      return backend(root, { request, url, body }, response);
    }
    if (scene.fault?.drops === true) return void request.socket.destroy();
    const reply = api(
      kind,
      { url, method: request.method ?? 'GET', body: body.toString(), origin },
      { requests, comments, issues },
    );
    // Which service it is, a host says to everyone.
    if (reply?.isOpen === true) return send(response, 200, reply.json);
    if (!hasToken) return send(response, 401, { message: 'no token' });
    if (scene.fault !== null) return send(response, scene.fault.status, { message: 'a fault' }, scene.fault.headers);
    return send(response, reply?.status ?? 404, reply?.json ?? { message: 'not found' });
  };
  return {
    origin,
    host: `127.0.0.1:${port}`,
    folder,
    requests,
    comments,
    issues,
    seen,
    get fault() {
      return scene.fault;
    },
    set fault(fault) {
      scene.fault = fault;
    },
    get pushes() {
      return scene.pushes;
    },
    set pushes(pushes) {
      scene.pushes = pushes;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function send(response: ServerResponse, status: number, json: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Git's own server, by the interface for web servers (CGI). */
function backend(
  root: string,
  { request, url, body }: { readonly request: IncomingMessage; readonly url: URL; readonly body: Buffer },
  response: ServerResponse,
): void {
  const child = spawn('git', ['http-backend'], {
    env: {
      ...gitEnvironment,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'ada',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: String(body.length),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  child.once('close', () => {
    const whole = Buffer.concat(pieces);
    const end = whole.indexOf('\r\n\r\n');
    const head = whole
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(': '));
    const status = Number(head.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200);
    const headers = head.flatMap(([name = '', value = '']) => (name === 'Status' ? [] : [[name, value] as const]));
    response.writeHead(status, Object.fromEntries(headers)).end(whole.subarray(end + 4));
  });
  // It may end before it has read all.
  child.stdin.on('error', () => undefined);
  child.stdin.end(body);
}

const wishSchema = z.object({
  title: z.string(),
  head: z.string().optional(),
  base: z.string().optional(),
  body: z.string().optional(),
  draft: z.boolean().optional(),
  source_branch: z.string().optional(),
  target_branch: z.string().optional(),
  description: z.string().optional(),
});

interface ApiReply {
  readonly status: number;
  readonly json: unknown;
  readonly isOpen?: true;
}

function api(
  kind: Kind,
  {
    url,
    method,
    body,
    origin,
  }: { readonly url: URL; readonly method: string; readonly body: string; readonly origin: string },
  { requests, comments, issues }: Pick<GitHosting, 'requests' | 'comments' | 'issues'>,
): ApiReply | null {
  const ok = (json: unknown, status = 200): ApiReply => ({ status, json });
  const about = { gitea: '/api/v1/version', gitlab: '/api/v4/version', github: '/api/v3/meta' }[kind];
  if (url.pathname === about)
    return { status: 200, json: { version: '1.0', verifiable_password_authentication: true }, isOpen: true };
  const root = {
    gitea: '/api/v1/repos/ada/app',
    gitlab: '/api/v4/projects/ada%2Fapp',
    github: '/api/v3/repos/ada/app',
  }[kind];
  if (!url.pathname.startsWith(root)) return null;
  const way = url.pathname.slice(root.length);
  const shown = (one: Request) => ({
    number: one.number,
    iid: one.number,
    html_url: `${origin}/ada/app/pulls/${one.number}`,
    web_url: `${origin}/ada/app/pulls/${one.number}`,
    head: { ref: one.branch },
  });
  const size = Number(url.searchParams.get(kind === 'gitea' ? 'limit' : 'per_page') ?? 30);
  const page = Number(url.searchParams.get('page') ?? 1);
  const pageOf = <Item>(list: readonly Item[]): readonly Item[] => list.slice((page - 1) * size, page * size);
  // Only Gitea gives all comments at once.
  const paged = <Item>(list: readonly Item[]): readonly Item[] => (kind === 'gitea' ? list : pageOf(list));
  const remarks = (isInline: boolean) =>
    paged(
      comments
        .filter(({ path }) => (path !== null) === isInline)
        .map(({ author, path, line, text }) => ({
          user: { login: author },
          body: text,
          path: path ?? undefined,
          line,
        })),
    );
  if (way === '') return ok({ default_branch: 'main' });
  if (method === 'POST' && (way === '/pulls' || way === '/merge_requests')) {
    const wish = wishSchema.parse(JSON.parse(body));
    const one: Request = {
      number: requests.length + 1,
      branch: wish.head ?? wish.source_branch ?? '',
      base: wish.base ?? wish.target_branch ?? '',
      title: wish.title,
      body: wish.body ?? wish.description ?? '',
      isDraft: wish.draft === true || /^(?:WIP|Draft): /u.test(wish.title),
    };
    if (requests.some(({ branch }) => branch === one.branch))
      return ok({ message: 'exists' }, kind === 'github' ? 422 : 409);
    requests.push(one);
    return ok(shown(one), 201);
  }
  const wanted = url.searchParams.get('head')?.replace('ada:', '') ?? url.searchParams.get('source_branch');
  if (way === '/pulls' || way === '/merge_requests')
    return ok(pageOf(requests.filter(({ branch }) => wanted === null || branch === wanted)).map(shown));
  const issue = issues.find(({ number }) => way === `/issues/${number}`);
  if (issue !== undefined) {
    const { title, author, text } = issue;
    const url = `${origin}/ada/app${way}`;
    if (kind === 'gitlab')
      return ok({ title, description: text, web_url: url, state: 'opened', author: { username: author } });
    return ok({ title, body: text, html_url: url, state: 'open', user: { login: author } });
  }
  if (/^\/issues\/\d+\/notes$/u.test(way))
    return ok(paged(comments).map(({ author, text }) => ({ body: text, system: false, author: { username: author } })));
  if (/^\/issues\/\d+\/comments$/u.test(way)) return ok(remarks(false));
  if (/^\/pulls\/\d+\/reviews$/u.test(way)) return ok(pageOf([{ id: 7, user: { login: 'rev' }, body: '' }]));
  if (/^\/pulls\/\d+\/(?:reviews\/7\/)?comments$/u.test(way)) return ok(remarks(true));
  if (/^\/merge_requests\/\d+\/discussions$/u.test(way)) {
    const notes = comments.map(({ author, path, line, text }) => ({
      body: text,
      system: false,
      author: { username: author },
      ...(path === null ? {} : { position: { new_path: path, new_line: line } }),
    }));
    const system = { body: 'marked as draft', system: true, author: { username: 'x' } };
    return ok(paged([...notes, system].map((note) => ({ notes: [note] }))));
  }
  return null;
}
