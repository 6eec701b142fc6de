import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FilePlace } from '../../../../src/shared/attachments/attachment-inputs.ts';
import { createMessageAttachments } from '../../../../src/main/sessions/attachments/message-attachments.ts';
import { createBlobs } from '../../../../src/main/sessions/blobs/blob-store.ts';
import { lookForHidden } from '../../../../src/main/sandbox/read-only/hidden-from-reading.ts';
import { emptySession } from '../../../../src/shared/session/session-state.ts';
import { fencesSchema } from '../../../../src/shared/safety/fences.ts';
import { settingsSchema } from '../../../../src/shared/settings/settings.ts';

const never = new AbortController().signal;
const login = 'machine example.org login me password kestrel-4711\n';

let folder: string;
let project: string;
let workspace: string;
let unmask: readonly string[];
let masks: readonly string[];
let looks: number;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'dewpoint-hidden-')));
  project = join(folder, 'project');
  workspace = project;
  unmask = [];
  masks = [];
  looks = 0;
  mkdirSync(join(project, 'docs'), { recursive: true });
  mkdirSync(join(folder, 'home'));
  writeFileSync(join(project, '.netrc'), login);
  writeFileSync(join(project, 'docs', 'open.txt'), 'nothing to hide\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const made = () =>
  createMessageAttachments({
    blobs: createBlobs(join(folder, 'blobs')),
    redact: (text) => text,
    fences: async () => fencesSchema.parse({}),
    stateOf: async () => ({ ...emptySession, workspace: { mode: 'copy', path: workspace }, projectPath: project }),
    library: () => ({
      leaves: () => true,
      resources: async () => [],
      read: async () => [],
      prompts: async () => [],
      prompt: async () => ({ text: '', contents: [] }),
    }),
    readDocument: async () => Promise.reject(new Error('No document is read here.')),
    hiddenIn: async ({ workspacePath, projectPath }, signal) => {
      looks += 1;
      const settings = { unmask: [...unmask] };
      const query = { workspacePath, projectPath, settings, homePath: join(folder, 'home'), masks };
      return (await lookForHidden(query, signal)).hidden;
    },
    preview: { models: { info: async () => null, list: async () => [] }, settings: () => settingsSchema.parse({}) },
  });

/** What goes to a model, and what the user reads instead. */
async function mentioned(text: string): Promise<{ readonly names: readonly string[]; readonly notes: string }> {
  const { attachments, notes } = await made().gather('s', { text, given: [] }, never);
  return { names: attachments.map(({ name }) => name), notes: notes.join('\n') };
}

const attach = (path: string, place: FilePlace = { sessionId: 's' }) =>
  made().keep({ name: 'given.txt', data: Buffer.from(login).toString('base64'), path, place });

describe('a mention of a file that is hidden from models', () => {
  const ways: Readonly<Record<string, () => string>> = {
    'its own name': () => '.netrc',
    'a link that the project ships': () => {
      symlinkSync('../.netrc', join(project, 'docs', 'a.txt'));
      return 'docs/a.txt';
    },
    'a link to a link': () => {
      symlinkSync('../.netrc', join(project, 'docs', 'a.txt'));
      symlinkSync('docs/a.txt', join(project, 'b.txt'));
      return 'b.txt';
    },
    'a link to its folder': () => {
      symlinkSync('..', join(project, 'docs', 'up'));
      return 'docs/up/.netrc';
    },
    'a name in other letters': () => {
      writeFileSync(join(project, '.ENV'), 'API_KEY=kestrel-4711\n');
      return '.ENV';
    },
    'a second name of the same file': () => {
      linkSync(join(project, '.netrc'), join(project, 'docs', 'twin.txt'));
      return 'docs/twin.txt';
    },
    'a path with detours': () => 'docs/../.netrc',
  };

  /** Catches: a mask that holds for commands and reads only, so that a file of a stranger's project leads a login out. */
  it.each(Object.entries(ways))('attaches nothing by %s, and says why and what to do', async (_, make) => {
    const path = make();
    const { names, notes } = await mentioned(`See @${path} and @docs/open.txt`);
    expect(names).toEqual(['docs/open.txt']);
    expect(notes).toContain(`@${path} was not attached: `);
    expect(notes).toContain('is hidden from models: it holds secrets');
    expect(notes).toContain('sandbox.unmask');
    expect(notes).not.toContain('kestrel');
  });

  it('attaches nothing after a rename of the file', async () => {
    await mentioned('@.netrc');
    renameSync(join(project, '.netrc'), join(project, 'docs', 'notes.txt'));
    const { names, notes } = await mentioned('@docs/notes.txt');
    expect(names).toEqual([]);
    expect(notes).toContain('docs/notes.txt is hidden from models');
  });

  it('attaches nothing that a rule masks, and lists no masked file', async () => {
    masks = ['docs', 'plans/**'];
    mkdirSync(join(project, 'plans'));
    writeFileSync(join(project, 'plans', 'merger.md'), 'Heron\n');
    expect((await mentioned('@docs/open.txt @docs/ @plans/merger.md')).names).toEqual([]);
  });

  it('attaches a file that the user unmasked, and scans no project when nothing is named', async () => {
    unmask = ['.netrc'];
    symlinkSync('../.netrc', join(project, 'docs', 'a.txt'));
    expect(await mentioned('@.netrc @docs/a.txt')).toEqual({ names: ['.netrc', 'docs/a.txt'], notes: '' });
    looks = 0;
    await mentioned('Ask @someone about @missing.txt');
    expect(looks).toBe(0);
  });

  it('attaches nothing when the scan fails', async () => {
    writeFileSync(join(folder, 'home', 'sandbox'), 'This is no folder.');
    const { names, notes } = await mentioned('@docs/open.txt');
    expect(names).toEqual([]);
    expect(notes).toContain('@docs/open.txt was not attached: ');
  });
});

describe('a file that the user attaches', () => {
  it('is refused when the project hides it, also by a link or in a session with a copy', async () => {
    const outer = join(folder, 'shortcut.txt');
    symlinkSync(join(project, '.netrc'), outer);
    for (const path of [join(project, '.netrc'), outer]) {
      for (const place of [{ sessionId: 's' }, { projectPath: project }])
        await expect(attach(path, place)).rejects.toThrow('given.txt was not attached: .netrc is hidden from models');
    }
    workspace = join(folder, 'copy');
    mkdirSync(workspace);
    await expect(attach(join(project, '.netrc'))).rejects.toThrow('is hidden from models');
  });

  it('may be a hidden one from elsewhere, and keeps its path when it is in the project', async () => {
    writeFileSync(join(folder, '.netrc'), login);
    expect(await attach(join(folder, '.netrc'))).toMatchObject({ kind: 'text', name: 'given.txt' });
    expect(await attach(join(project, 'docs', 'open.txt'))).toMatchObject({ path: 'docs/open.txt' });
    expect(looks).toBe(1);
  });

  it('is refused as an export of chats when the project hides it', async () => {
    const path = join(project, '.netrc');
    const place = { sessionId: 's' };
    await expect(made().keepChats({ name: 'chats.json', path, place }, ['1'], never)).rejects.toThrow(
      'chats.json was not attached: .netrc is hidden from models',
    );
  });
});
