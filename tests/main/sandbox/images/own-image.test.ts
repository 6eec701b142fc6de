import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findOwnImage } from '../../../../src/main/sandbox/images/own-image.ts';
import { valueOf } from '../../../contracts/sandbox-contract.ts';

let project: string;
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'dewpoint-own-image-'));
});
afterEach(() => rm(project, { recursive: true }));

const put = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(project, path)), { recursive: true });
  await writeFile(join(project, path), text);
};
const found = async () => valueOf(await findOwnImage(project, 'dewpoint-sandbox:a'));

describe("a project's own image", () => {
  it('is the one for working on the project, before the one that it ships in', async () => {
    expect(await found()).toBeNull();
    await put('Dockerfile', 'FROM shipped');
    expect(await found()).toMatchObject({ path: 'Dockerfile', kind: 'dockerfile', text: 'FROM shipped' });
    await put(
      '.devcontainer/devcontainer.json',
      '{ // the "image"\n "image": "a/b@sha256:1", /* "x" */ "list": [1,], }',
    );
    expect(await found()).toMatchObject({ kind: 'image', text: 'a/b@sha256:1' });
    await put('.dewpoint/Dockerfile', 'FROM own');
    expect(await found()).toMatchObject({ path: '.dewpoint/Dockerfile', text: 'FROM own' });
  });

  it('is ours with the toolchains that it needs, before the one that it ships in', async () => {
    await put('Dockerfile', 'FROM shipped');
    await put('go.mod', 'module a');
    await put('native/CMakeLists.txt', 'project(a)');
    const image = await found();
    expect(image).toMatchObject({ path: "Dewpoint's image with Go, CMake", toolchains: ['Go', 'CMake'] });
    expect(image?.text).toMatch(/^# .* about 550 MB more\.\nFROM dewpoint-sandbox:a\n/);
    expect(image?.text).toContain('--no-install-recommends golang-1.23-go cmake pkg-config');
    await put('.dewpoint/Dockerfile', 'FROM own');
    expect((await found())?.toolchains).toBeUndefined();
  });

  it('counts as another one after the change of any byte', async () => {
    await put('Dockerfile', 'FROM a');
    const first = await found();
    await put('Dockerfile', 'FROM a\n');
    expect((await found())?.approval).not.toBe(first?.approval);
  });

  it.each([
    ['{"build": {"dockerfile": "Dev"}}', { path: '.devcontainer/Dev', text: 'FROM dev' }],
    ['{"dockerFile": "../Top"}', { path: 'Top', text: 'FROM top' }],
  ])('comes from the file that %s names', async (text, expected) => {
    await put('.devcontainer/Dev', 'FROM dev');
    await put('Top', 'FROM top');
    await put('.devcontainer/devcontainer.json', text);
    expect(await found()).toMatchObject(expected);
  });

  it('comes with commands and variables that are approved with it', async () => {
    const file = (more: object): string =>
      `// made by hand\n${JSON.stringify({ image: 'a', features: { 'x/y:1': {} }, runArgs: [], forwardPorts: [1], ...more })}`;
    await put('.devcontainer.json', '{"image": "a"}');
    const bare = await found();
    await put(
      '.devcontainer.json',
      file({
        onCreateCommand: 'npm ci',
        updateContentCommand: ['pip', 'install', '-r', "it's.txt"],
        postCreateCommand: { server: 'npm run build && python3 -m build', system: 'sudo apt-get install x' },
        initializeCommand: 'curl example.org | sh',
        containerEnv: { A: '1', HERE: '${containerWorkspaceFolder}/x', TOKEN: '${localEnv:TOKEN}', GONE: null },
        remoteEnv: { A: '2', 'not ok': '3' },
      }),
    );
    const own = await found();
    expect(own).toMatchObject({
      kind: 'image',
      setup: {
        javascript: '( npm ci ) && ( npm run build && python3 -m build )',
        python: `( 'pip' 'install' '-r' 'it'\\''s.txt' ) && ( npm run build && python3 -m build )`,
      },
      environment: { A: '2', HERE: '/workspace/x' },
      leftOut: [
        expect.stringMatching(/^features: /),
        expect.stringMatching(/^initializeCommand: nothing of a project runs on your machine/),
        expect.stringMatching(/^postCreateCommand: .*sudo apt-get install x/),
        expect.stringMatching(/^TOKEN: /),
        expect.stringMatching(/^not ok: /),
      ],
    });
    await put('.devcontainer.json', file({ onCreateCommand: 'npm ci --force' }));
    const approvals = [bare?.approval, own?.approval, (await found())?.approval];
    expect(new Set(approvals).size).toBe(3);
    await put('.devcontainer.json', file({}));
    expect((await found())?.approval).toBe(bare?.approval);
    await put('.devcontainer.json', '{"dockerComposeFile": "x.yml"}');
    expect(await findOwnImage(project, 'dewpoint-sandbox:a')).toMatchObject({
      ok: false,
      error: { hint: expect.stringContaining('dockerComposeFile: a session has only one container') },
    });
  });

  it.each([
    '{"build": {"dockerfile": "../../outside"}}',
    '{"dockerFile": "/etc/passwd"}',
    '{"dockerFile": "link"}',
    '{}',
    'no',
  ])('is not made from %s', async (text) => {
    await mkdir(join(project, '.devcontainer'));
    await symlink('/etc/passwd', join(project, '.devcontainer/link'));
    await put('.devcontainer/devcontainer.json', text);
    expect((await findOwnImage(project, 'dewpoint-sandbox:a')).ok).toBe(false);
  });
});
