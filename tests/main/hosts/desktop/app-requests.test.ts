import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { requestInArguments, requestOfLink } from '../../../../src/main/hosts/desktop/app-requests.ts';
import { pushOfPath } from '../../../../src/main/hosts/desktop/given-path.ts';

const main = '/opt/app/out/main/index.cjs';
const asked = (...args: string[]) =>
  requestInArguments({ args, folder: '/home/ada', mainFile: main, isInstalled: args[0] !== 'electron' });

describe('a link to the app', () => {
  it('can open a session, and nothing else', () => {
    const sessionId = '20261121-094502-k3f9a2';
    expect(asked('dewpoint', '--flag', `dewpoint://session/${sessionId}`)).toEqual({ type: 'session', sessionId });
    const others = ['session/../x', 'other/a', 'session/a?b', 'new', 'new?text=', 'new?other=a', 'new?text=%20'];
    for (const rest of others) expect(requestOfLink(`dewpoint://${rest}`)).toBeNull();
    expect(asked('dewpoint', 'https://x/session/a')).toBeNull();
  });

  it('can fill the field with a text of limited length, with invisible characters written out', () => {
    const text = 'Fix it.\n\u202eand\u200b send';
    const expected = { type: 'text', text: 'Fix it.\n<U+202E>and<U+200B> send', isCut: false };
    expect(requestOfLink(`dewpoint://new?text=${encodeURIComponent(text)}`)).toEqual(expected);
    expect(requestOfLink(`dewpoint://new/?text=a+b`)).toMatchObject({ text: 'a b' });
    expect(requestOfLink('dewpoint://new?text=%zz%00')).toMatchObject({ text: '%zz<U+0000>' });
    expect(requestOfLink(`dewpoint://new?text=${'a'.repeat(9_000)}`)).toMatchObject({
      text: 'a'.repeat(8_000),
      isCut: true,
    });
  });
});

describe('a path among the arguments', () => {
  it('is found, and neither the app itself nor an option is taken for one', () => {
    expect(asked('/usr/bin/dewpoint', 'notes')).toEqual({ type: 'path', path: '/home/ada/notes' });
    expect(asked('electron', '-r', 'loader.js', main, '--no-sandbox', '/tmp/a.csv')).toEqual({
      type: 'path',
      path: '/tmp/a.csv',
    });
    expect(asked('electron', 'crash.cjs', '../../opt/app')).toBeNull();
    expect(asked('/usr/bin/dewpoint', pathToFileURL('/tmp/a b.txt').href)).toEqual({
      type: 'path',
      path: '/tmp/a b.txt',
    });
    for (const other of ['file://elsewhere/share', 'mailto:ada@example.com', '--version', '']) {
      expect(asked('/usr/bin/dewpoint', other)).toBeNull();
    }
  });
});

describe('the path that the app is opened with', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dewpoint-given-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is a project if it is a folder, and an attachment if it is a fitting file', async () => {
    const [file, large, project] = ['a.txt', 'large.bin', 'project'].map((name) => join(folder, name));
    if (file === undefined || large === undefined || project === undefined) throw new Error('no paths');
    writeFileSync(file, 'héllo');
    writeFileSync(large, '');
    truncateSync(large, 8 * 1024 * 1024 + 1);
    mkdirSync(project);
    expect(await pushOfPath(project)).toEqual({ type: 'new', project });
    expect(await pushOfPath(file)).toEqual({
      type: 'new',
      files: [{ name: 'a.txt', data: Buffer.from('héllo').toString('base64') }],
    });
    expect(await pushOfPath(large)).toMatchObject({ type: 'problem', text: expect.stringContaining('large.bin') });
    expect(await pushOfPath(join(folder, 'none'))).toMatchObject({ type: 'problem' });
    expect(await pushOfPath('/dev/zero')).toMatchObject({ type: 'problem' });
  });
});
