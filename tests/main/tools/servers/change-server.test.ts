import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownDefinition, knownServers } from '../../../../src/main/tools/servers/known-servers.ts';
import { changeServer } from '../../../../src/main/tools/servers/change-server.ts';
import { serverDefinitionSchema, type ToolServerSettings } from '../../../../src/shared/tools/server-definition.ts';

const none = new AbortController().signal;

async function change(before: object, after: object) {
  const said: string[] = [];
  let saved: ToolServerSettings | null = null;
  const one = (value: object): ToolServerSettings['definition'] => serverDefinitionSchema.parse(value);
  await changeServer(
    {
      save: async (_name, server) => void (saved = server),
      running: { forget: async () => void said.push('stopped') },
      signIns: {
        signOut: async () => {
          said.push('signed out');
          return null;
        },
      },
      dropSecret: async (_server, variable) => void said.push(`dropped ${variable}`),
    },
    {
      name: 'docs',
      before: { definition: one(before), approved: 'a'.repeat(64), isOn: false, off: ['x'] },
      definition: one(after),
    },
    none,
  );
  return { said, saved };
}

const address = { kind: 'http', url: 'https://docs.example.org/mcp', headers: ['Authorization'] };
const program = { kind: 'stdio', command: 'npx', args: ['x'], env: ['KEY', 'OTHER'] };

describe('a changed tool server', () => {
  it('needs approval again, and keeps its switches and the keys that it still takes', async () => {
    const { said, saved } = await change(program, { ...program, env: ['KEY'], hosts: ['api.example.org'] });
    expect(saved).toMatchObject({ approved: null, isOn: false, off: ['x'] });
    expect(said).toEqual(['stopped', 'dropped OTHER']);
  });

  // Catches: a key for one address that is sent to another.
  it('loses its keys and its sign-in when it moves to another address', async () => {
    const { said } = await change(address, { ...address, url: 'https://other.example.org/mcp' });
    expect(said).toEqual(['signed out', 'stopped', 'dropped Authorization']);
    const same = await change(address, { ...address, url: 'https://docs.example.org/v2' });
    expect(same.said).toEqual(['stopped']);
  });

  it('stays approved where nothing was changed', async () => {
    expect(await change(program, program)).toEqual({ said: [], saved: null });
  });
});

describe('the well-known servers', () => {
  it('are at least ten, and each becomes a server, with the folder where it asks for one', () => {
    const all = knownServers();
    expect(all.length).toBeGreaterThanOrEqual(10);
    for (const { name, asksFolder } of all) {
      const definition = knownDefinition(name, asksFolder ? '/srv/my notes' : undefined);
      expect(definition?.kind === 'stdio' ? definition.args.includes('/srv/my notes') : false, name).toBe(asksFolder);
    }
    // Catches: a folder whose name is read as a part of the command line, and becomes another one.
    for (const folder of ['/srv/Ada’s “own” notes', '/srv/a"b\'c', '/home/user/x', '/srv/$&'])
      expect(knownDefinition('filesystem', folder)).toMatchObject({ args: expect.arrayContaining([folder]) });
    expect(knownDefinition('filesystem', '~/x')).toMatchObject({
      args: expect.arrayContaining([join(homedir(), 'x')]),
    });
    expect(knownDefinition('nothing')).toBeNull();
    expect(() => knownDefinition('filesystem', ' ')).toThrow('works on a folder');
  });
});
