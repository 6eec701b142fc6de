import { describe, expect, it } from 'vitest';
import type { AliasedFolder } from '../../../../src/main/hosts/web/path-aliases.ts';
import { createPathAliases } from '../../../../src/main/hosts/web/path-aliases.ts';

const root: AliasedFolder = { paths: ['/home/ann/my code', '/home/ann/link'], label: 'my code' };
const home: AliasedFolder = { paths: ['/home/ann'], label: 'home' };
const key = Buffer.alloc(32, 7);
const names = createPathAliases(key, [home, root]);
const code = names.aliasOf(root);

describe('the aliases of paths', () => {
  it('stand for the innermost folder in each spelling, and leave lookalikes', () => {
    const texts = {
      inner: 'In /home/ann/my code/app/main.py: no.',
      link: '-I/home/ann/link/include',
      json: '{"path":"file:///home/ann/my%20code/x"}',
      outer: 'PATH=/usr/bin:/home/ann/bin, see /home/ann.',
      alike: '/home/annabel/x and /home/ann.old and /workspace/main.py',
    };
    expect(names.hide(texts, 'session')).toEqual({
      inner: 'In my code/app/main.py: no.',
      link: '-Imy code/include',
      json: '{"path":"file://my code/x"}',
      outer: 'PATH=/usr/bin:home/bin, see home.',
      alike: texts.alike,
    });
    expect(names.hide(texts.inner, 'data')).toBe(`In ${code}/app/main.py: no.`);
  });

  it('hide a name once, also where a folder at the top has its own path in its name', () => {
    const top = createPathAliases(key, [{ paths: ['/root'], label: 'root' }]);
    const once = top.hide('/root/app', 'data');
    expect(once).toMatch(/^~[0-9a-f]{16}\/root\/app$/u);
    expect(top.hide(once, 'data')).toBe(once);
    expect(top.hide(`In ${once}.`, 'sentence')).toBe('In root/app.');
    expect(top.reveal(once)).toBe('/root/app');
    expect(top.hide('~0123456789abcdef/root/app', 'sentence')).not.toContain('/root/app');
  });

  it('also hide property names, and keep an object without paths', () => {
    const clean = { list: [{ text: 'a/b' }], none: null };
    expect(names.hide(clean, 'data')).toBe(clean);
    expect(names.hide({ '/home/ann/my code/app': { added: ['/home/ann/link'] } }, 'data')).toEqual({
      [`${code}/app`]: { added: [code] },
    });
  });

  it('cannot be guessed without the key, and are the same with it', () => {
    expect(createPathAliases(key, [root]).aliasOf(root)).toBe(code);
    expect(createPathAliases(Buffer.alloc(32, 8), [root]).aliasOf(root)).not.toBe(code);
    expect(code).toMatch(/^~[0-9a-f]{16}\/my code$/u);
  });

  it("replace any path in Dewpoint's own words, but no address and no word with a slash", () => {
    const own = createPathAliases(key, [home]);
    const text = 'No /usr/bin/docker. unix:///var/run/docker.sock, http://host/usr/x and/or /v1/models 1/2';
    const hidden = 'No docker. unix://docker.sock, http://host/usr/x and/or /v1/models 1/2';
    expect(own.hide(text, 'sentence')).toBe(hidden);
    expect(own.hide('sh: /usr/lib/x', 'session')).toBe('sh: /usr/lib/x');
    const sent = own.hide(text, 'data');
    expect(sent.replaceAll(/~[0-9a-f]{16}\//gu, '')).toBe(hidden);
    expect(own.reveal(sent)).toBe(text);
  });

  it('replace the folder of a session outside the root', () => {
    const own = createPathAliases(key, [home]);
    const name = own.hide({ projectPath: '/srv/a project' }, 'session').projectPath;
    expect(name).toMatch(/^~[0-9a-f]{16}\/a project$/u);
    expect(own.hide('cd /srv/a project/src', 'session')).toBe('cd a project/src');
    expect(own.reveal({ [`${name}`]: [`${name}/x`, '~0123456789abcdef/unknown'] })).toEqual({
      '/srv/a project': ['/srv/a project/x', '~0123456789abcdef/unknown'],
    });
  });

  it('wait for the next piece only where a path may go on in it', () => {
    expect(names.safeLength('see /home/an')).toBe(4);
    expect(names.safeLength('see /home/ann/my c')).toBe(4);
    expect(names.safeLength('ls /home')).toBe(8);
    expect(names.safeLength('see /home/bob/x')).toBe(15);
  });
});
