import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Tool } from '../../../../src/main/tools/define.ts';
import { readAnnouncement } from '../../../../src/main/tools/programs/program-announcement.ts';
import { createFrameReader } from '../../../../src/main/tools/programs/program-frames.ts';

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: '',
  access: 'read',
  input: z.object({ path: z.string() }),
  label: () => name,
  run: async () => ({ status: 'ok', output: '' }),
  ...more,
});
const tools = [
  tool('read_file'),
  tool('run_command', { access: 'execute', input: z.object({ command: z.string() }) }),
  tool('web_read', { access: 'web', needs: 'web', input: z.object({ url: z.string() }) }),
];

function announced(...calls: Parameters<typeof readAnnouncement>[0]) {
  const read = readAnnouncement(calls, tools);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  return (name: string, input: unknown): string => {
    const taken = read.take(name, input);
    return 'problem' in taken ? taken.problem : 'made';
  };
}

describe('the announcement of a program', () => {
  it('is refused with a list of all its errors', () => {
    const read = readAnnouncement(
      [
        { tool: 'nothing', most: 1 },
        { tool: 'read_file', most: 0 },
        { tool: 'read_file', most: 600 },
        { tool: 'web_read', most: 1 },
        { tool: 'run_command', most: 1, paths: ['*'], hosts: ['127.0.0.1'] },
      ],
      tools,
    );
    expect('problems' in read ? read.problems : []).toEqual([
      'There is no tool "nothing" that a program can call.',
      'read_file: "most" has to be 1 or more.',
      'read_file is announced twice.',
      'web_read: say in "hosts" which hosts it reaches.',
      'run_command: "127.0.0.1" is no name of a public host.',
      'run_command: its calls cannot be held to "paths".',
      '602 calls are announced. The limit is 500.',
    ]);
  });

  it.each([
    ['src/a.ts', 'made'],
    ['./src/a.ts', 'made'],
    ['src/../a.ts', 'read_file was not announced for the path src/../a.ts.'],
    ['/src/a.ts', 'read_file was not announced for the path /src/a.ts.'],
    ['lib/src/a.ts', 'read_file was not announced for the path lib/src/a.ts.'],
    ['', 'read_file was not announced for the path .'],
  ])('limits a path to its patterns: %s', (path, said) => {
    expect(announced({ tool: 'read_file', most: 1, paths: ['src/**'] })('read_file', { path })).toBe(said);
  });

  it.each([
    [{ url: 'https://Example.org/x' }, 'made'],
    [{ url: 'https://example.org:8443/x' }, 'made'],
    [{ url: 'https://example.org@evil.example.com/' }, 'web_read was not announced for the host evil.example.com.'],
    [{ url: 'https://127.0.0.1/' }, 'web_read was not announced for the host of this address.'],
    [{ url: 'example.org' }, 'web_read was not announced for the host of this address.'],
  ])('limits an address to its hosts: %j', (input, said) => {
    expect(announced({ tool: 'web_read', most: 1, hosts: ['example.org'] })('web_read', input)).toBe(said);
  });

  it('limits the network of a command to its hosts, and counts only calls that were made', () => {
    const take = announced({ tool: 'run_command', most: 1, hosts: ['example.org'] });
    const command = (hosts: string[]) => ({ command: 'x', network: { hosts, why: 'y' } });
    expect(take('run_command', command(['example.org', 'other.example.org']))).toContain('other.example.org');
    expect(take('run_command', command(['example.org']))).toBe('made');
    expect(take('run_command', { command: 'x' })).toBe('run_command was announced for at most 1 calls.');
  });
});

describe('a message of a program', () => {
  const read = (...pieces: readonly string[]): unknown[] => {
    const frames: unknown[] = [];
    const reader = createFrameReader((frame) => frames.push(frame));
    for (const piece of pieces) reader(Buffer.from(piece));
    return frames;
  };

  it('is read the same however it is cut', () => {
    expect(read('{"type":"call","id":1,"to', 'ol":"a","input":{}}', '\n{"type":"done","value":[1]}\n{"ty')).toEqual([
      { type: 'call', id: 1, tool: 'a', input: {} },
      { type: 'done', value: [1] },
    ]);
  });

  it.each([
    ['no JSON', 'x\n', 'no frame'],
    ['another form', '{"type":"call","id":1}\n', 'no frame'],
    ['a field too many', '{"type":"done","value":1,"__proto__x":1}\n', 'no frame'],
    ['too deep', `{"type":"done","value":${'['.repeat(200)}${']'.repeat(200)}}\n`, 'no frame'],
    ['too long, without an end', 'x'.repeat(1024 * 1024 + 1), 'more than 1 MB'],
  ])('is refused: %s', (_what, text, why) => {
    expect(() => read(text)).toThrow(why);
  });

  it('is not counted as deep for brackets in its texts', () => {
    expect(read(`{"type":"done","value":"${'[\\"{'.repeat(200)}"}\n`)).toHaveLength(1);
  });
});
