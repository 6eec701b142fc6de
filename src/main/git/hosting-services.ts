import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import type { ReviewComment } from '@shared/git/request-plan.ts';
import type { HostingAddress } from './hosting-address.ts';
import type { HostingCalls } from './hosting-calls.ts';

interface FoundRequest {
  readonly number: number;
  readonly url: string;
}

interface FoundIssue {
  readonly title: string;
  readonly author: string;
  readonly text: string;
  readonly url: string;
  readonly isOpen: boolean;
  /** Oldest first. */
  readonly comments: readonly ReviewComment[];
}

/** One of the services that keep repositories, by its HTTP interface. */
export interface HostingService {
  readonly usualBranch: () => Promise<string>;
  /** The open request of a branch. */
  readonly find: (branch: string) => Promise<FoundRequest | null>;
  readonly open: (wish: {
    readonly branch: string;
    readonly base: string;
    readonly title: string;
    readonly body: string;
  }) => Promise<FoundRequest>;
  readonly comments: (number: number) => Promise<readonly ReviewComment[]>;
  readonly issue: (number: number) => Promise<FoundIssue>;
}

const known: Readonly<Record<string, 'github' | 'gitlab' | 'gitea'>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'codeberg.org': 'gitea',
  'gitea.com': 'gitea',
};

/** Finds out which service a host is, without the token. */
export async function hostingService(
  address: HostingAddress,
  { calls, open }: { readonly calls: HostingCalls; readonly open: HostingCalls },
): Promise<HostingService> {
  const kind = known[address.host] ?? (await kindOf(open, address));
  switch (kind) {
    case 'github':
      return github(
        calls,
        `${address.host === 'github.com' ? 'https://api.github.com' : '/api/v3'}/repos/${address.path}`,
      );
    case 'gitea':
      return gitea(calls, `/api/v1/repos/${address.path}`);
    case 'gitlab':
      return gitlab(calls, `/api/v4/projects/${encodeURIComponent(address.path)}`);
    default:
      return kind satisfies never;
  }
}

/** The origin of a host's interface, which is elsewhere for GitHub alone. */
export function interfaceOf({ origin, host }: HostingAddress): Pick<HostingAddress, 'origin' | 'host'> {
  return host === 'github.com' ? { origin: 'https://api.github.com', host: 'api.github.com' } : { origin, host };
}

async function kindOf(
  { send }: HostingCalls,
  { origin, host }: HostingAddress,
): Promise<'github' | 'gitlab' | 'gitea'> {
  const answers = async (path: string, isIts: (status: number, text: string) => boolean): Promise<boolean> => {
    const answer = await send({
      method: 'GET',
      url: new URL(path, origin),
      headers: { accept: 'application/json' },
      body: null,
    });
    return isIts(answer.status, new TextDecoder().decode(answer.bytes.subarray(0, 2_000)));
  };
  const isVersion = (status: number, text: string): boolean => status === 200 && text.includes('"version"');
  if (await answers('/api/v1/version', isVersion)) return 'gitea';
  if (await answers('/api/v3/meta', (status, text) => status === 200 && text.startsWith('{'))) return 'github';
  // GitLab tells its version only to those who sign in.
  const isGitlab = (status: number, text: string): boolean =>
    isVersion(status, text) || (status === 401 && text.includes('401 Unauthorized'));
  if (await answers('/api/v4/version', isGitlab)) return 'gitlab';
  throw new AppError('bad-input', `${host} is no GitHub, GitLab or Gitea, so Dewpoint cannot open a request there.`, {
    hint: 'The branch was pushed. Open the request in your browser.',
  });
}

/** A host gives the oldest comments first, so the latest are on the last page. */
const mostPages = 20;

interface PageSize {
  readonly name: string;
  readonly most: number;
  /** False: each host sets a limit of its own, and the usual one is `most`. */
  readonly isFixed: boolean;
}

const pageOf = {
  hundred: { name: 'per_page', most: 100, isFixed: true },
  gitea: { name: 'limit', most: 50, isFixed: false },
} as const;

/** All pages of a list; of one that is longer than Dewpoint reads, the first pages. */
async function allOf<Item>(
  json: HostingCalls['json'],
  list: z.ZodType<Item[]>,
  { path, query = '', size }: { readonly path: string; readonly query?: string; readonly size: PageSize },
): Promise<Item[]> {
  const { name, most, isFixed } = size;
  const all: Item[] = [];
  let full: number = most;
  for (let page = 1; page <= mostPages; page += 1) {
    const items = list.parse(await json('GET', `${path}?${query}${name}=${most}&page=${page}`));
    all.push(...items);
    // A host can allow shorter pages than it is asked for. The first page shows how long they are.
    if (page === 1) full = isFixed ? most : items.length;
    if (items.length < full || items.length === 0) break;
  }
  return all;
}

const user = z.object({ login: z.string() }).nullish();
const numbered = z.object({ number: z.number().int(), html_url: z.string() });
const remark = z.object({
  user,
  body: z.string().nullish(),
  path: z.string().nullish(),
  line: z.number().nullish(),
  original_line: z.number().nullish(),
  position: z.number().nullish(),
  original_position: z.number().nullish(),
});
const remarks = z.array(remark);
const found = ({ number, html_url: url }: z.infer<typeof numbered>): FoundRequest => ({ number, url });

function commentsOf(list: z.infer<typeof remarks>): readonly ReviewComment[] {
  return list.flatMap(({ user: by, body, path, line, original_line: old, position, original_position: before }) => {
    const text = (body ?? '').trim();
    // Gitea says 0 for a line that is not there any more.
    const at = [line, old, position, before].find((one) => typeof one === 'number' && one > 0);
    const place = path === undefined || path === null || path === '' ? null : at === undefined ? path : `${path}:${at}`;
    return text === '' ? [] : [{ author: by?.login ?? 'unknown', place, text }];
  });
}

const issueSchema = z.object({
  title: z.string(),
  body: z.string().nullish(),
  html_url: z.string(),
  state: z.string(),
  user,
});

/** GitHub and Gitea have the same form. */
async function issueOf(
  json: HostingCalls['json'],
  root: string,
  number: number,
  said: (path: string) => Promise<z.infer<typeof remarks>>,
): Promise<FoundIssue> {
  const {
    title,
    body,
    html_url: url,
    state,
    user: by,
  } = issueSchema.parse(await json('GET', `${root}/issues/${number}`));
  const comments = commentsOf(await said(`${root}/issues/${number}/comments`));
  return { title, author: by?.login ?? 'unknown', text: body ?? '', url, isOpen: state === 'open', comments };
}

function github({ json }: HostingCalls, root: string): HostingService {
  const owner = root.split('/').at(-2) ?? '';
  const said = (path: string) => allOf(json, remarks, { path, size: pageOf.hundred });
  return {
    usualBranch: async () => z.object({ default_branch: z.string() }).parse(await json('GET', root)).default_branch,
    find: async (branch) => {
      const query = new URLSearchParams({ head: `${owner}:${branch}`, state: 'open' });
      const [first] = z.array(numbered).parse(await json('GET', `${root}/pulls?${query.toString()}`));
      return first === undefined ? null : found(first);
    },
    open: async ({ branch, base, title, body }) =>
      found(numbered.parse(await json('POST', `${root}/pulls`, { title, body, head: branch, base, draft: true }))),
    comments: async (number) => {
      const lists = await Promise.all(
        [`issues/${number}/comments`, `pulls/${number}/reviews`, `pulls/${number}/comments`].map((path) =>
          said(`${root}/${path}`),
        ),
      );
      return lists.flatMap(commentsOf);
    },
    issue: (number) => issueOf(json, root, number, said),
  };
}

function gitea({ json }: HostingCalls, root: string): HostingService {
  const requests = z.array(numbered.extend({ head: z.object({ ref: z.string() }) }));
  const reviewed = z.array(remark.extend({ id: z.number().int(), comments_count: z.number().int().nullish() }));
  // Comments come in one piece.
  const said = async (path: string) => remarks.parse(await json('GET', path));
  return {
    usualBranch: async () => z.object({ default_branch: z.string() }).parse(await json('GET', root)).default_branch,
    find: async (branch) => {
      const query = 'state=open&sort=recentupdate&';
      const list = await allOf(json, requests, { path: `${root}/pulls`, query, size: pageOf.gitea });
      const one = list.find(({ head }) => head.ref === branch);
      return one === undefined ? null : found(one);
    },
    // Gitea knows a draft by its title.
    open: async ({ branch, base, title, body }) =>
      found(numbered.parse(await json('POST', `${root}/pulls`, { title: `WIP: ${title}`, body, head: branch, base }))),
    comments: async (number) => {
      const path = `${root}/pulls/${number}/reviews`;
      const reviews = await allOf(json, reviewed, { path, size: pageOf.gitea });
      const inner: z.infer<typeof remarks> = [];
      // One after the other: a long request has hundreds of reviews, and most of them only approve.
      for (const { id, comments_count: count } of reviews)
        if (count !== 0) inner.push(...(await said(`${path}/${id}/comments`)));
      return commentsOf([...(await said(`${root}/issues/${number}/comments`)), ...reviews, ...inner]);
    },
    issue: (number) => issueOf(json, root, number, said),
  };
}

function gitlab({ json }: HostingCalls, root: string): HostingService {
  const merge = z.object({ iid: z.number().int(), web_url: z.string() });
  const at = ({ iid, web_url: url }: z.infer<typeof merge>): FoundRequest => ({ number: iid, url });
  const note = z.object({
    body: z.string(),
    system: z.boolean().default(false),
    author: z.object({ username: z.string() }),
    position: z.object({ new_path: z.string().nullish(), new_line: z.number().nullish() }).nullish(),
  });
  const said = (notes: readonly z.infer<typeof note>[]): readonly ReviewComment[] =>
    notes
      .filter(({ system }) => !system)
      .map(({ body, author, position }) => {
        const path = position?.new_path ?? null;
        const line = position?.new_line ?? null;
        const place = path === null ? null : line === null ? path : `${path}:${line}`;
        return { author: author.username, place, text: body };
      });
  return {
    usualBranch: async () => z.object({ default_branch: z.string() }).parse(await json('GET', root)).default_branch,
    find: async (branch) => {
      const query = new URLSearchParams({ source_branch: branch, state: 'opened' });
      const [first] = z.array(merge).parse(await json('GET', `${root}/merge_requests?${query.toString()}`));
      return first === undefined ? null : at(first);
    },
    open: async ({ branch, base, title, body }) => {
      const wish = { source_branch: branch, target_branch: base, title: `Draft: ${title}`, description: body };
      return at(merge.parse(await json('POST', `${root}/merge_requests`, wish)));
    },
    comments: async (number) => {
      const discussions = z.array(z.object({ notes: z.array(note) }));
      const path = `${root}/merge_requests/${number}/discussions`;
      const list = await allOf(json, discussions, { path, size: pageOf.hundred });
      return said(list.flatMap(({ notes }) => notes));
    },
    issue: async (number) => {
      const schema = z.object({
        title: z.string(),
        description: z.string().nullish(),
        web_url: z.string(),
        state: z.string(),
        author: z.object({ username: z.string() }),
      });
      const one = schema.parse(await json('GET', `${root}/issues/${number}`));
      const path = `${root}/issues/${number}/notes`;
      const notes = await allOf(json, z.array(note), { path, query: 'sort=asc&', size: pageOf.hundred });
      return {
        title: one.title,
        author: one.author.username,
        text: one.description ?? '',
        url: one.web_url,
        isOpen: one.state === 'opened',
        comments: said(notes),
      };
    },
  };
}
