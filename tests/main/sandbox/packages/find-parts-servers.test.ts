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
const at = 'npm install --prefix /node_modules/.language-servers';
const script = { 'package.json': '{"dependencies": {"is-number": "7"}}' };

describe('the packages of language servers', () => {
  it('are not installed unless they were asked for', () => {
    expect(JSON.stringify(findParts(top(script), {}))).not.toContain('.language-servers');
    expect(findParts(top({}), { languageServers: false })).toEqual([]);
  });

  it('come after the packages of a JavaScript project, and beside them', () => {
    expect(commandsOf(script, true)).toEqual([
      { ecosystem: 'javascript', place: '/node_modules', last: `${at} typescript@7.0.2`, isNeeded: true },
    ]);
  });

  it('leave the packages of a Python project alone, and nobody is asked about them before a run', () => {
    expect(commandsOf({ 'requirements.txt': 'six\n' }, true)).toMatchObject([
      { ecosystem: 'python', place: '/deps/python' },
      { ecosystem: 'javascript', place: '/node_modules', last: `${at} pyright@1.1.414`, isNeeded: false },
    ]);
  });

  it('are those of both languages where the project does not say which it has', () => {
    expect(commandsOf({}, true).map(({ last }) => last)).toEqual([`${at} pyright@1.1.414 typescript@7.0.2`]);
  });
});
