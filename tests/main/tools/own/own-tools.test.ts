import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadSyntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import type { ExecResult, NetworkRequest } from '../../../../src/main/sandbox/sandbox.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';
import { createOwnToolCommands } from '../../../../src/main/tools/own/commands.ts';
import { createOwnToolRecord } from '../../../../src/main/tools/own/own-tool-record.ts';
import { moveOwnTools } from '../../../../src/main/tools/own/move-own-tools.ts';
import { createOwnTools } from '../../../../src/main/tools/own/own-tools.ts';
import { hideInLines, hideValues } from '../../../../src/main/tools/own/hide-values.ts';
import { success } from '../../../../src/shared/errors.ts';
import type { ConnectedToolSpec } from '../../../../src/main/tools/connected/connected-tool-spec.ts';
import type { ProjectTools } from '../../../../src/shared/tools/server-definition.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const signal = new AbortController().signal;
const syntax = loadSyntax();
const python = (description: string, more = ''): string =>
  `tool = {"description": "${description}", ${more}}\ndef execute(arguments):\n    return "${description}"\n`;

/** A home and a project with folders of tools. Runs are recorded and end as scripted. */
function scene() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'dewpoint-own-')));
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'dewpoint-own-project-')));
  folders.push(home, project);
  const places = { home: join(home, 'tools'), project: join(project, '.dewpoint', 'tools') };
  for (const place of Object.values(places)) mkdirSync(place, { recursive: true });
  const ran: { readonly name: string; readonly request: NetworkRequest }[] = [];
  const ends: { -readonly [Part in keyof ExecResult]?: ExecResult[Part] } = {};
  const projects: Record<string, ProjectTools> = {};
  const secrets = new Map<string, string>();
  let off: readonly string[] = [];
  let time = 0;
  const taken = () =>
    new Map([
      ['read_file', 'a tool of Dewpoint'],
      ['docs', 'a tool server'],
    ]);
  const record = createOwnToolRecord(join(home, 'own-tools.json'));
  const tools = createOwnTools({
    home,
    loadSyntax: () => syntax,
    record,
    taken,
    off: () => off,
    projects: () => projects,
    secret: async (name) => secrets.get(name) ?? null,
    runApart: async (name, request) => {
      ran.push({ name, request });
      const ended = {
        outcome: 'exited',
        exitCode: 0,
        stdout: 'done',
        stderr: '',
        stdoutBytes: 4,
        stderrBytes: 0,
        durationMs: 1,
      } as const;
      return success({ ...ended, ...ends });
    },
    now: () => (time += 1),
  });
  const commands = createOwnToolCommands({
    home,
    templates: resolve('resources/tools'),
    tools,
    loadSyntax: () => syntax,
    record,
    taken,
    off: () => off,
    saveOff: async (names) => void (off = names),
    projects: () => projects,
    saveProject: async (path, own) => {
      if (own === null) delete projects[path];
      else projects[path] = own;
    },
    programsOf: async () => ({ projectPath: project, programs: [] }),
    writerToday: async () => ({ model: null, digest: null, app: '1.2.3' }),
    now: () => (time += 1),
    keepSecret: async (name, value) => void secrets.set(name, value),
    dropSecret: async (name) => void secrets.delete(name),
  });
  const put = (place: keyof typeof places, file: string, text: string): void =>
    writeFileSync(join(places[place], file), text);
  const offered = async (path: string | null = project): Promise<readonly ConnectedToolSpec[]> =>
    (await tools.forProject(path).offered()).toSorted((left, right) => left.at - right.at).map(({ spec }) => spec);
  const names = async (path: string | null = project) => (await offered(path)).map(({ name }) => name);
  const specOf = async (name: string): Promise<ConnectedToolSpec> => {
    const found = (await offered()).find((one) => one.name === name);
    if (found === undefined) throw new Error(`There is no ${name}.`);
    return found;
  };
  const call = (spec: ConnectedToolSpec, input = {}) =>
    tools.forProject(project).call(spec, input, { signal, onProgress: () => undefined });
  const reports = async () => commands.list({ input: { projectPath: project }, signal });
  const reportOf = async (name: string) => (await reports()).tools.find((one) => one.name === name);
  const approve = async (name: string) =>
    commands.approve({ input: { name, projectPath: project, sha256: (await reportOf(name))?.sha256 ?? '' }, signal });
  return {
    home,
    project,
    places,
    ran,
    ends,
    projects,
    secrets,
    record,
    tools,
    commands,
    put,
    offered,
    names,
    specOf,
    call,
    reports,
    reportOf,
    approve,
  };
}

describe('a folder of tools', () => {
  it('offers its tools with the next message, even if one of them is broken', async () => {
    const one = scene();
    one.put('home', 'say.py', python('says'));
    one.put('home', 'README.md', '# x');
    expect(await one.names()).toEqual(['say']);
    one.put('home', 'broken.py', 'tool = {"description": "x"\n');
    one.put('home', 'first.py', python('a'));
    expect(await one.names()).toEqual(['say', 'first']);
    expect(await one.reportOf('broken')).toMatchObject({
      state: 'broken',
      isOn: false,
      problem: expect.stringMatching(/^Line 1: /),
    });
    rmSync(join(one.places.home, 'say.py'));
    expect(await one.names()).toEqual(['first']);
    expect(one.ran).toEqual([]);
  });

  it('may be missing, and is refused if it is a link or no folder', async () => {
    const one = scene();
    rmSync(one.places.home, { recursive: true });
    rmSync(one.places.project, { recursive: true });
    expect(await one.reports()).toMatchObject({ tools: [], problems: [] });
    const elsewhere = mkdtempSync(join(tmpdir(), 'dewpoint-elsewhere-'));
    folders.push(elsewhere);
    writeFileSync(join(elsewhere, 'say.py'), python('says'));
    symlinkSync(elsewhere, one.places.project);
    expect((await one.reports()).problems).toEqual([expect.stringContaining('is a link')]);
    expect(await one.names()).toEqual([]);
  });

  it('follows no link out of it, and skips files that are too large or no text', async () => {
    const one = scene();
    writeFileSync(join(one.home, 'secret.py'), python('secret'));
    symlinkSync(join(one.home, 'secret.py'), join(one.places.home, 'linked.py'));
    one.put('home', 'large.py', `${python('x')}${'#'.repeat(300_000)}`);
    writeFileSync(join(one.places.home, 'bytes.py'), Buffer.from([0xff, 0xfe, 0x00]));
    mkdirSync(join(one.places.home, 'folder.py'));
    one.put('home', 'a b.py', python('x'));
    expect((await one.reports()).tools.map(({ file, problem }) => `${file}: ${problem ?? ''}`)).toEqual([
      'a b.py: Its file name has characters other than letters, digits, dots, hyphens and underscores.',
      'bytes.py: It is not valid text (UTF-8).',
      'large.py: It is larger than 256 KB.',
      'linked.py: It is a link. Put the file itself into the folder.',
    ]);
    expect(await one.names()).toEqual([]);
  });

  it("keeps each name once: Dewpoint's, a server's or the person's tool goes first", async () => {
    const one = scene();
    one.put('home', 'read_file.py', python('x'));
    one.put('home', 'docs.py', python('x'));
    one.put('home', 'a.py', python('x', '"name": "say"'));
    one.put('home', 'say.py', python('y'));
    one.put('project', 'say.js', 'export default { description: "z", execute() {} };');
    expect(await one.names()).toEqual(['say']);
    const problems = (await one.reports()).tools.map(({ file, problem }) => `${file}: ${problem ?? ''}`);
    expect(problems.slice(1, 3)).toEqual([
      'docs.py: Its name, docs, is taken by a tool server. Give it another one.',
      'read_file.py: Its name, read_file, is taken by a tool of Dewpoint. Give it another one.',
    ]);
    expect(problems.slice(3)).toEqual([
      expect.stringContaining(`say.py: Its name, say, is taken by ${join(one.places.home, 'a.py')}`),
      expect.stringContaining('say.js: Its name, say, is taken by'),
    ]);
  });
});

describe('a tool of a project', () => {
  it('is offered after approval of its exact bytes, and is off after a change', async () => {
    const one = scene();
    one.put('project', 'deploy.py', python('deploys'));
    expect(await one.names()).toEqual([]);
    expect(await one.reportOf('deploy')).toMatchObject({ state: 'not-approved', text: python('deploys'), diff: null });
    await one.approve('deploy');
    expect(await one.names()).toEqual(['deploy']);
    expect(await one.names(null)).toEqual([]);
    one.put('project', 'deploy.py', `${python('deploys')}# more\n`);
    expect(await one.names()).toEqual([]);
    expect(await one.reportOf('deploy')).toMatchObject({ state: 'changed', diff: expect.stringContaining('+# more') });
    await one.approve('deploy');
    expect(await one.names()).toEqual(['deploy']);
  });

  it('is not approved if its file changed since it was shown', async () => {
    const one = scene();
    one.put('project', 'deploy.py', python('deploys'));
    const seen = await one.reportOf('deploy');
    one.put('project', 'deploy.py', python('steals'));
    const input = { name: 'deploy', projectPath: one.project, sha256: seen?.sha256 ?? '' };
    await expect(async () => one.commands.approve({ input, signal })).rejects.toThrow('changed since you looked');
    expect(await one.names()).toEqual([]);
  });

  it('does not run if its file changed between approval and call', async () => {
    const one = scene();
    one.put('project', 'deploy.py', python('deploys', '"hosts": ["api.example.org"]'));
    await one.approve('deploy');
    const spec = await one.specOf('deploy');
    one.put('project', 'deploy.py', python('deploys', '"hosts": ["api.example.net"]'));
    expect(await one.call(spec)).toMatchObject({
      status: 'refused',
      output: expect.stringContaining('another file than the one that was approved'),
    });
    // An approval of the new version does not help, because the question about the call showed the old one.
    await one.approve('deploy');
    expect(await one.call(spec)).toMatchObject({
      status: 'refused',
      output: expect.stringContaining('changed its declaration during this message'),
    });
    rmSync(join(one.places.project, 'deploy.py'));
    expect(await one.call(spec)).toMatchObject({ status: 'refused', output: expect.stringContaining('is gone') });
    expect(one.ran).toEqual([]);
  });

  it('is not approved if the record of approvals cannot be read', async () => {
    const one = scene();
    one.put('project', 'deploy.py', python('deploys'));
    await one.approve('deploy');
    writeFileSync(join(one.home, 'own-tools.json'), '{"approved": 1}');
    expect(await one.names()).toEqual([]);
    expect((await one.reports()).problems).toEqual([expect.stringContaining('cannot be read')]);
  });

  it('gets no secrets of a tool with the same name elsewhere', async () => {
    const one = scene();
    const file = python('x', '"secrets": ["TOKEN"]');
    one.put('project', 'say.py', file);
    await one.approve('say');
    one.secrets.set('own-tools.home.say.py.TOKEN', 'of the person');
    expect(await one.call(await one.specOf('say'))).toMatchObject({
      status: 'error',
      output: expect.stringContaining('say needs a value for TOKEN'),
    });
    expect(one.ran).toEqual([]);
  });
});

describe('a call of an own tool', () => {
  it('runs the approved bytes with secrets and hosts, and hides the secrets', async () => {
    const one = scene();
    one.put('home', 'say.py', python('x', '"secrets": ["TOKEN"], "hosts": ["api.example.org"], "timeout_seconds": 7'));
    await one.commands.secret({ input: { name: 'say', variable: 'TOKEN', value: 'swordfish' }, signal });
    one.ends.stdout = 'got swordfish';
    const spec = await one.specOf('say');
    expect(spec).toMatchObject({ server: 'your tools', leaves: true, readsFiles: false });
    const result = await one.call(spec, { text: '$(id)' });
    expect(result).toMatchObject({
      status: 'ok',
      output: 'got [redacted:TOKEN]',
      data: { file: 'say.py', sha256: spec.own?.sha256 },
    });
    const [{ name, request } = { name: '', request: null }] = one.ran;
    expect([name, request?.hosts, request?.env, request?.timeoutMs]).toEqual([
      'say',
      ['api.example.org'],
      { TOKEN: 'swordfish' },
      7000,
    ]);
    const input = Buffer.from(request?.stdin ?? []).toString();
    expect(input).toContain(python('x', '"secrets": ["TOKEN"], "hosts": ["api.example.org"], "timeout_seconds": 7'));
    expect(input.endsWith('{"text":"$(id)"}')).toBe(true);
    expect(request?.command).not.toContain('$(id)');
    expect((await one.reportOf('say'))?.lastUsedAt).not.toBeNull();
  });

  it('runs an improved version of your own tool, but not one that asks for more', async () => {
    const one = scene();
    one.put('home', 'say.py', python('x', '"secrets": []'));
    const spec = await one.specOf('say');
    one.put('home', 'say.py', `${python('x', '"secrets": []')}# better\n`);
    expect(await one.call(spec)).toMatchObject({ status: 'ok' });
    one.put('home', 'say.py', python('x', '"secrets": [], "hosts": ["api.example.org"]'));
    expect(await one.call(spec)).toMatchObject({ status: 'refused' });
    one.put('home', 'say.py', 'tool = {');
    expect((await one.call(spec)).output).toContain('is broken since it was offered. Line 1');
    expect(one.ran).toHaveLength(1);
  });

  it('is refused when the tool was switched off, in that project only', async () => {
    const one = scene();
    one.put('home', 'say.py', python('x'));
    const spec = await one.specOf('say');
    await one.commands.set({ input: { name: 'say', isOn: false, projectPath: one.project }, signal });
    expect([await one.names(), await one.names(null)]).toEqual([[], ['say']]);
    expect((await one.call(spec)).output).toContain('was switched off');
    await one.commands.set({ input: { name: 'say', isOn: false }, signal });
    await one.commands.set({ input: { name: 'say', isOn: true, projectPath: one.project }, signal });
    expect([await one.names(), await one.names(null)]).toEqual([['say'], []]);
    await one.commands.set({ input: { name: 'say', isOn: null, projectPath: one.project }, signal });
    expect([await one.names(), one.projects]).toEqual([[], {}]);
  });

  it.each([
    [{ outcome: 'exited', exitCode: 3, stderr: 'Error: no' }, 'error', 'say ended with code 3.\nError: no'],
    [
      { outcome: 'exited', exitCode: 127 },
      'error',
      'say did not run: python3 is not in the image of the sandbox.\ndone',
    ],
    [
      { outcome: 'timed-out', exitCode: null },
      'timed-out',
      'say was stopped after 60 s. Its file can allow more: timeout_seconds.\ndone',
    ],
    [
      { outcome: 'killed', exitCode: 137, killedFor: 'memory' },
      'error',
      'say was killed because it ran out of memory.\ndone',
    ],
    [
      { outcome: 'lost', exitCode: null },
      'unknown',
      'The sandbox was lost while say ran. Nobody knows what it did.\ndone',
    ],
    [{ outcome: 'exited', exitCode: 0, stdout: ' \n' }, 'ok', '(It printed nothing.)'],
  ] as const)('that ended with %j is reported like that', async (ended, status, output) => {
    const one = scene();
    one.put('home', 'say.py', python('x'));
    Object.assign(one.ends, ended);
    expect(await one.call(await one.specOf('say'))).toMatchObject({ status, output });
  });

  it('without hosts and secrets runs in the sandbox of its session', async () => {
    const one = scene();
    one.put('home', 'say.py', python('x'));
    const sandbox = createMemorySandbox({});
    const spec = await one.specOf('say');
    expect(spec).toMatchObject({ leaves: false, readsFiles: true });
    await one.tools.forProject(one.project).call(spec, {}, { signal, onProgress: () => undefined, sandbox });
    expect(one.ran).toEqual([]);
  });
});

describe('the output of an own tool', () => {
  it('hides secrets, also when they are encoded or split into pieces', () => {
    const secrets = { KEY: 'a b/c"d+', PEM: '-----BEGIN-----\nabcdefgh\n-----END-----', NO: 'x' };
    const forms = [
      secrets.KEY,
      JSON.stringify(secrets.KEY),
      encodeURIComponent(secrets.KEY),
      Buffer.from(secrets.KEY).toString('base64url'),
      'abcdefgh',
      'x',
    ];
    expect(hideValues(forms.join(' '), secrets)).toBe(
      '[redacted:KEY] "[redacted:KEY]" [redacted:KEY] [redacted:KEY] [redacted:PEM] x',
    );
    const heard: string[] = [];
    const lines = hideInLines({ KEY: 'swordfish' }, (one) => heard.push(one));
    for (const part of ['one sword', 'fish two\nthree swo', 'rdfish']) lines.push(Buffer.from(part));
    lines.end();
    expect(heard).toEqual(['one [redacted:KEY] two', 'three [redacted:KEY]']);
  });

  // Bug: for a tool that prints ten thousand lines, every form of every secret was computed ten thousand times.
  it('is searched for secrets that are prepared once for each call', () => {
    let looks = 0;
    const secrets = new Proxy({ KEY: 'swordfish' }, { ownKeys: (made) => ((looks += 1), Reflect.ownKeys(made)) });
    const lines = hideInLines(secrets, () => undefined);
    for (let line = 0; line < 20; line += 1) lines.push(Buffer.from(`${line} swordfish\n`));
    expect(hideValues('swordfish', secrets)).toBe('[redacted:KEY]');
    expect(looks).toBe(1);
  });

  it('hides a secret that is split in progress without a line end', () => {
    const heard: string[] = [];
    const lines = hideInLines({ KEY: 'swordfish' }, (one) => heard.push(one));
    for (const part of [`${'.'.repeat(65_532)}sword`, 'fish', '.'.repeat(65_536)]) lines.push(Buffer.from(part));
    lines.end();
    expect(heard.length).toBeGreaterThan(1);
    expect(heard.join('')).toBe(`${'.'.repeat(65_532)}[redacted:KEY]${'.'.repeat(65_536)}`);
  });
});

describe('a new own tool', () => {
  it('is on at once, in the home or in a project, and overwrites no file', async () => {
    const one = scene();
    rmSync(one.places.project, { recursive: true });
    await one.commands.create({ input: { name: 'count', language: 'js' }, signal });
    const made = await one.commands.create({
      input: { name: 'chat', language: 'python', example: 'chat_message', projectPath: one.project },
      signal,
    });
    expect(made).toMatchObject({
      state: 'ready',
      isOn: true,
      secrets: ['CHAT_WEBHOOK_URL'],
      hosts: ['hooks.slack.com'],
      file: 'chat.js',
    });
    expect((await one.names()).toSorted()).toEqual(['chat', 'count']);
    await expect(async () => one.commands.create({ input: { name: 'count', language: 'sh' }, signal })).rejects.toThrow(
      'There is a tool count already',
    );
    await expect(async () => one.commands.create({ input: { name: 'docs', language: 'sh' }, signal })).rejects.toThrow(
      'taken by a tool server',
    );
    writeFileSync(
      join(one.places.project, 'chat.js'),
      `${readFileSync(join(one.places.project, 'chat.js'), 'utf8')}// mine\n`,
    );
    expect(await one.reportOf('chat')).toMatchObject({ state: 'changed' });
  });

  it('is never written through a link', async () => {
    const one = scene();
    rmSync(one.places.project, { recursive: true });
    symlinkSync(one.home, one.places.project);
    const input = { name: 'say', language: 'sh', projectPath: one.project } as const;
    await expect(async () => one.commands.create({ input, signal })).rejects.toThrow('its folder is a link');
    expect(readdirSync(one.home)).not.toContain('say.sh');
  });

  it('loses its keys and approvals when it is removed, but its file stays', async () => {
    const one = scene();
    one.put('project', 'say.py', python('x', '"secrets": ["TOKEN"]'));
    await one.approve('say');
    const which = { name: 'say', projectPath: one.project };
    await one.commands.secret({ input: { ...which, variable: 'TOKEN', value: 'swordfish' }, signal });
    expect([...one.secrets.values()]).toEqual(['swordfish']);
    const { path } = await one.commands.forget({ input: which, signal });
    expect([one.secrets.size, existsSync(path), await one.names()]).toEqual([0, true, []]);
  });

  it('can be tried with valid arguments, after approval', async () => {
    const one = scene();
    await one.commands.create({ input: { name: 'count', language: 'sh' }, signal });
    const tryOut = async (name: string, input: Record<string, unknown>) =>
      one.commands.test({ input: { name, input, projectPath: one.project }, signal });
    await expect(tryOut('count', {})).rejects.toThrow('The arguments are not right');
    expect(await tryOut('count', { path: 'a' })).toEqual({ status: 'ok', text: 'done' });
    one.put('project', 'say.py', python('x'));
    await expect(tryOut('say', {})).rejects.toThrow('nobody has approved it');
  });

  // Catches: a tool that asks for a key again, while the old one stays in the key store, where nothing finds it.
  it('keeps its keys and its folder where its project lies now, and gets both back if the move is taken back', async () => {
    const one = scene();
    one.put('project', 'say.py', python('x', '"secrets": ["TOKEN"], "hosts": ["example.org"]'));
    await one.approve('say');
    await one.commands.secret({
      input: { name: 'say', projectPath: one.project, variable: 'TOKEN', value: 'swordfish' },
      signal,
    });
    const kept = (name: string): string => join(one.home, 'workspaces', `tools-${name}`);
    const run = async (projectPath: string) => {
      const listed = (await one.tools.list(projectPath)).tools.find(({ file }) => file === 'say.py');
      if (listed === undefined) throw new Error('There is no tool.');
      const how = { projectPath, signal, onProgress: () => undefined };
      const { status } = await one.tools.run(listed, {}, how);
      const { name, request } = one.ran.at(-1) ?? {};
      const text = name !== undefined && existsSync(kept(name)) && readFileSync(join(kept(name), 'note'), 'utf8');
      return { state: listed.state, status, key: request?.env?.TOKEN, text };
    };
    const works = { state: 'ready', status: 'ok', key: 'swordfish', text: 'mine' };
    await run(one.project);
    const folder = kept(one.ran.at(-1)?.name ?? '');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'note'), 'mine');
    expect(await run(one.project)).toEqual(works);
    const to = `${one.project}-moved`;
    folders.push(to);
    renameSync(one.project, to);
    const move = moveOwnTools({
      record: one.record,
      tools: one.tools,
      folderOf: kept,
      secrets: {
        read: async (name) => one.secrets.get(name) ?? null,
        set: async (name, value) => void one.secrets.set(name, value),
        remove: async (name) => void one.secrets.delete(name),
      },
    });
    // Catches: approvals at the new place, and the project at the old one.
    const list = async () => Promise.reject(new Error('They cannot be listed.'));
    const noted = await one.record.read();
    const secrets = { read: async () => null, set: async () => undefined, remove: async () => undefined };
    const broken = moveOwnTools({ record: one.record, tools: { list }, folderOf: kept, secrets });
    await expect(broken(one.project, to, signal)).rejects.toThrow('They cannot be listed.');
    expect(await one.record.read()).toEqual(noted);
    const takeBack = await move(one.project, to, signal);
    await (
      await move(one.project, to, signal)
    )();
    expect(await run(to)).toEqual(works);
    expect(one.secrets.size).toBe(1);
    await takeBack();
    renameSync(to, one.project);
    expect(await run(one.project)).toEqual(works);
  });
});
