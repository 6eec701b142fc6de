import { parsedUrl } from '../../../lib/net/parsed-url.ts';

/** Each quantifier is bounded, so that a long text costs what its length says. */
const address = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'`<>]{0,4096}/giu;

/** Sockets of this machine are paths, and have no keys in them. */
const ofThisMachine = /^(?:unix|npipe|file):/iu;

/** A word or a version (`chat-completions`, `v1beta`); what else stands in a path may be a key. */
const plainSegment = /^(?:v\d{1,3}(?:alpha|beta)?\d{0,2}|[a-z]{1,20}(?:[._-][a-z]{1,20}){0,3})$/iu;

/** A text whose addresses tell where they lead and nothing that would open it: no user, no query, no key in a path. */
export function withoutAddressSecrets(text: string): string {
  return text.replace(address, (found) => {
    if (ofThisMachine.test(found)) return found;
    const end = /[),.;:!?\]]{0,8}$/u.exec(found)?.index ?? found.length;
    return bare(found.slice(0, end)) + found.slice(end);
  });
}

function bare(text: string): string {
  const scheme = text.slice(0, text.indexOf('://') + 3);
  const url = parsedUrl(text);
  // Of an address that is written wrongly nobody knows where the password ends.
  if (url === null || url.host === '' || url.pathname.includes('@')) return `${scheme}…`;
  const { username, password, host, pathname, search, hash } = url;
  const user = username === '' && password === '' ? '' : '…@';
  const path = pathname === '/' ? '' : pathname.split('/').map(plain).join('/');
  return `${scheme}${user}${host}${path}${search === '' ? '' : '?…'}${hash === '' ? '' : '#…'}`;
}

function plain(segment: string): string {
  return segment === '' || plainSegment.test(segment) ? segment : '…';
}
