import { describe, expect, it } from 'vitest';
import { hostingService } from '../../../src/main/git/hosting-services.ts';
import type { HostingCalls } from '../../../src/main/git/hosting-calls.ts';

const root = '/api/v1/repos/ada/app';

/** A Gitea with this many reviews, whose pages have at most `limit` items. Each tenth review has a comment. */
function giteaWith(reviews: number, limit: number) {
  const asked: string[] = [];
  let waiting = 0;
  let most = 0;
  const all = Array.from({ length: reviews }, (_, id) => ({ id, body: '', comments_count: id % 10 === 0 ? 1 : 0 }));
  const answer = (path: string): unknown => {
    const { pathname, searchParams } = new URL(path, 'https://gitea.com');
    if (pathname === `${root}/issues/1/comments`) return [];
    const [, id] = /\/reviews\/(\d+)\/comments$/u.exec(pathname) ?? [];
    if (id !== undefined) return [{ user: { login: 'rev' }, body: `To ${id}.` }];
    const size = Math.min(limit, Number(searchParams.get('limit')));
    const page = Number(searchParams.get('page'));
    return all.slice((page - 1) * size, page * size);
  };
  const calls: HostingCalls = {
    send: () => Promise.reject(new Error('not used')),
    json: async (_method, path) => {
      asked.push(path);
      waiting += 1;
      most = Math.max(most, waiting);
      await Promise.resolve();
      waiting -= 1;
      return answer(path);
    },
  };
  const address = {
    remote: 'origin',
    origin: 'https://gitea.com',
    host: 'gitea.com',
    path: 'ada/app',
    isFromSsh: false,
  };
  return { asked, most: () => most, service: hostingService(address, { calls, open: calls }) };
}

// Catches: a thousand requests to one server at once, and a list that ends where a server allows shorter pages.
describe('the comments of a request at a Gitea', () => {
  it.each([
    ['the usual limit', 50],
    ['a limit of 20', 20],
  ])('come one after the other, from the reviews that have some, with %s of a page', async (_what, limit) => {
    const { asked, most, service } = giteaWith(120, limit);
    const comments = await (await service).comments(1);
    expect(comments.map(({ text }) => text)).toEqual(Array.from({ length: 12 }, (_, at) => `To ${at * 10}.`));
    expect(most()).toBe(1);
    expect(asked.filter((path) => /reviews\/\d+\/comments/u.test(path))).toHaveLength(12);
  });
});
