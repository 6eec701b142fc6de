import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../../src/main/models/providers/define.ts';
import type { KitOptions } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

/**
 * Catches: code that is hidden from a cloud model as a secret, an edit that fails because its old text holds a
 * placeholder, a placeholder that is written into a file, and a secret that comes into another file.
 */
const price = { input: 1, output: 2, source: 'test', date: '2026-11-21' };
const options = { ...turnOptions, policy: 'cloud', cloud: 'sky/model', strategy: 'loop' } as const;
const done = call('task_complete', { summary: 'ok' });
// Made here so that no scanner takes this file for a leak.
const password = ['Qv7', 'pX2m', 'Wd9k'].join('-');
const key = ['sk', 'proj', 'a1B2c3D4'.repeat(4)].join('-');
const settings = `import os\n\nDB_PASSWORD = "${password}"\nOTHER_PASSWORD = "${password}9"\nKEY = "${key}"\nport = 1\n`;

const run = async (kit: KitOptions) => {
  const made = createAgentKit({ cloud: { price }, ...kit });
  const end = await made.runner.send('Work on the settings.', options);
  await expectReplay(made);
  const text = (path: string): string | null => made.sandbox.text(path);
  const results = ofType(made.journal.events, 'tool-ended').filter(({ tool }) => tool !== 'gather_facts');
  return { ...made, end, text, results };
};

/** What the model was shown of the file last. */
function shownOf(request: ModelRequest): string {
  const texts = request.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-result' ? [part.text] : [])),
  );
  return (texts.at(-1) ?? '').replace(/^ *\d+: ?/gmu, '');
}

const read = (path: string) => call('read_file', { path });

describe('code that only looks like a secret', () => {
  const code = 'import hashlib\n\ntoken = make_token(1)\ntoken_hash = hashlib.sha256(token.encode()).hexdigest()\n';

  it('is shown, edited and written without placeholders', async () => {
    const next = 'token_hash = hashlib.sha512(token.encode()).hexdigest()';
    const { text, requests } = await run({
      sandbox: { files: { 'a.py': code } },
      replies: [
        read('a.py'),
        call('edit_file', {
          path: 'a.py',
          old: 'token_hash = hashlib.sha256(token.encode()).hexdigest()',
          new: next,
        }),
        done,
      ],
    });
    expect(text('a.py')).toBe(code.replace('sha256', 'sha512'));
    expect(JSON.stringify(requests.at(-1)?.messages.slice(1))).not.toContain('redacted');
  });
});

describe('a file with secrets', () => {
  it('can be written as a whole with a key of several lines in it', async () => {
    const kind = 'RSA PRIVATE KEY';
    const body = Array.from({ length: 12 }, (_, at) => `${'Zk3QvMb8'.repeat(7)}${at}xQ`);
    const pem = [`-----BEGIN ${kind}-----`, ...body, `-----END ${kind}-----`].join('\n');
    const before = `import os\nKEY = """${pem}"""\nport = 1\n`;
    const { text, requests } = await run({
      sandbox: { files: { 'a.py': before } },
      replies: [
        read('a.py'),
        (request) =>
          call('write_file', { path: 'a.py', content: `${shownOf(request)}\n`.replace('port = 1', 'port = 2') }),
        done,
      ],
    });
    expect(text('a.py')).toBe(before.replace('port = 1', 'port = 2'));
    expect(JSON.stringify(requests)).not.toContain('Zk3QvMb8');
  });

  const files = { 'settings.py': settings };

  it('can be edited around a placeholder, and keeps each value in its own place', async () => {
    const { text, requests } = await run({
      sandbox: { files },
      replies: [
        read('settings.py'),
        (request) => {
          const shown = shownOf(request);
          const [first = '', second = ''] = shown.split('\n').slice(2, 4);
          return call('edit_file', {
            path: 'settings.py',
            old: `${first}\n${second}`,
            new: `${second}\n${first}\nPOOL = 5`,
          });
        },
        done,
      ],
    });
    expect(text('settings.py')).toBe(
      `import os\n\nOTHER_PASSWORD = "${password}9"\nDB_PASSWORD = "${password}"\nPOOL = 5\nKEY = "${key}"\nport = 1\n`,
    );
    expect(JSON.stringify(requests)).not.toContain(password);
    expect(JSON.stringify(requests)).not.toContain(key);
  });

  it('can be written as a whole, with the values in place of their placeholders', async () => {
    const { text } = await run({
      sandbox: { files },
      replies: [
        read('settings.py'),
        (request) =>
          call('write_file', { path: 'settings.py', content: shownOf(request).replace('port = 1', 'port = 2') }),
        done,
      ],
    });
    expect(text('settings.py')?.trim()).toBe(settings.replace('port = 1', 'port = 2').trim());
  });

  it('can be patched with a placeholder in the context', async () => {
    const { text } = await run({
      sandbox: { files },
      replies: [
        read('settings.py'),
        (request) => {
          const [, , db = '', other = '', own = ''] = shownOf(request).split('\n');
          const hunk = ` ${db}\n-${other}\n+${other}  # not used\n ${own}\n`;
          return call('apply_patch', {
            patch: `--- a/settings.py\n+++ b/settings.py\n@@ -3,3 +3,3 @@\n${hunk}`,
          });
        },
        done,
      ],
    });
    expect(text('settings.py')).toBe(settings.replace(`${password}9"`, `${password}9"  # not used`));
  });

  it.each([
    ['write_file', (line: string) => call('write_file', { path: 'other.py', content: `${line}\n` })],
    ['edit_file', (line: string) => call('edit_file', { path: 'other.py', old: '', new: `${line}\n` })],
    [
      'apply_patch',
      (line: string) => call('apply_patch', { patch: `--- /dev/null\n+++ b/other.py\n@@ -0,0 +1 @@\n+${line}\n` }),
    ],
    ['run_command', (line: string) => call('run_command', { command: `echo '${line}' > other.py` })],
  ])('gives its values to no other file, and gets no placeholder written: %s', async (_tool, write) => {
    const { text, results } = await run({
      sandbox: { files },
      replies: [read('settings.py'), (request) => write(shownOf(request).split('\n')[2] ?? ''), done],
    });
    expect(text('other.py')).toBeNull();
    expect(results[1]).toMatchObject({ status: 'error', output: expect.stringContaining('hidden from you') });
  });

  it('refuses a placeholder that was made up or is older than the program', async () => {
    for (const made of ['[redacted:openai-key#abcdef]', '[redacted:openai-key]', '[fenced]', '[fenced: plans/x.md]']) {
      const { text, results } = await run({
        sandbox: { files },
        replies: [
          read('settings.py'),
          call('edit_file', { path: 'settings.py', old: 'port = 1', new: `port = "${made}"` }),
          done,
        ],
      });
      expect(text('settings.py')).toBe(settings);
      expect(results[1]?.output).toContain('nothing was written');
    }
  });

  it('may contain placeholders as its own words', async () => {
    const { text } = await run({
      sandbox: { files: { 'notes.md': 'A key is shown as [redacted:openai-key].\nEnd.\n' } },
      replies: [read('notes.md'), call('edit_file', { path: 'notes.md', old: 'End.', new: 'The end.' }), done],
    });
    expect(text('notes.md')).toBe('A key is shown as [redacted:openai-key].\nThe end.\n');
  });

  it('is shown to the model that wrote it, and hidden from another one', async () => {
    const line = `PASSWORD = "${password}"`;
    const { requests } = await run({
      sandbox: { files: {} },
      replies: [call('write_file', { path: 'new.py', content: `${line}\n` }), done],
    });
    expect(JSON.stringify(requests.at(-1))).toContain(password);
  });
});
