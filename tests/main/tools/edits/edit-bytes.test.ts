import { describe, expect, it } from 'vitest';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import type { AgentKit } from '../../../fakes/agent-kit.ts';

/** Catches: an edit of one line that changes bytes of other lines. */
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
const latin = bytes('# caf\xe9\nx = 1\ny = 2\n');
const marked = new Uint8Array(Buffer.from('\uFEFFx = 1\r\ny = 2\nz = 3\r\n'));

async function work(file: Uint8Array, tool: string, input: unknown): Promise<AgentKit> {
  const replies = [call('read_file', { path: 'a.py' }), call(tool, input), call('task_complete', { summary: 'ok' })];
  const kit = createAgentKit({ replies, sandbox: { files: { 'a.py': file }, exec: () => ({}) } });
  await kit.runner.send('Do the work.', { ...turnOptions, strategy: 'loop' });
  return kit;
}

const fileOf = (kit: AgentKit): Buffer => Buffer.from(kit.sandbox.contents.get('a.py')?.bytes ?? []);
const said = (kit: AgentKit, tool: string): string | undefined =>
  ofType(kit.journal.events, 'tool-ended').find((event) => event.tool === tool)?.output;

describe('a file that is not UTF-8', () => {
  it.each([
    ['edit_file', { path: 'a.py', old: 'x = 1', new: 'x = 3' }],
    ['apply_patch', { patch: '--- a/a.py\n+++ b/a.py\n@@ -2,2 +2,2 @@\n-x = 1\n+x = 3\n y = 2\n' }],
  ])('is read with a note, and %s changes only its own bytes', async (tool, input) => {
    const kit = await work(latin, tool, input);
    expect(said(kit, 'read_file')).toContain('not UTF-8');
    expect(fileOf(kit)).toEqual(Buffer.from(bytes('# caf\xe9\nx = 3\ny = 2\n')));
  });
});

describe('a file with a byte order mark and mixed line endings', () => {
  it.each([
    ['edit_file', { path: 'a.py', old: 'y = 2\nz = 3', new: 'y = 2\nz = 4' }],
    ['edit_file', { path: 'a.py', old: 'z = 3', new: 'z = 4' }],
  ])('keeps both when %s changes another line', async (tool, input) => {
    const kit = await work(marked, tool, input);
    expect(fileOf(kit).toString()).toBe('\uFEFFx = 1\r\ny = 2\nz = 4\r\n');
    expect(said(kit, 'read_file')).toMatch(/^1: x = 1/u);
  });

  it('gives new lines the ending of the lines around them', async () => {
    const kit = await work(marked, 'edit_file', { path: 'a.py', old: 'x = 1', new: 'x = 1\nw = 0' });
    expect(fileOf(kit).toString()).toBe('\uFEFFx = 1\r\nw = 0\r\ny = 2\nz = 3\r\n');
  });
});
