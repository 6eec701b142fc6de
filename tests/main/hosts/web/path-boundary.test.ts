import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isContractProcedure } from '@orpc/contract';
import { ORPCError } from '@orpc/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contract } from '@shared/contract/contract.ts';
import { AppError } from '@shared/errors.ts';
import { escapeHtml } from '@shared/text/escape-html.ts';
import { createPathBoundary } from '../../../../src/main/hosts/web/path-boundary.ts';
import type { AliasedFolder } from '../../../../src/main/hosts/web/path-aliases.ts';
import { createPathAliases } from '../../../../src/main/hosts/web/path-aliases.ts';

let folder = '';
let root: AliasedFolder;
let other: AliasedFolder;
const key = Buffer.alloc(32, 1);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-boundary-'));
  mkdirSync(join(folder, 'code', 'app', 'src'), { recursive: true });
  mkdirSync(join(folder, 'other', 'app'), { recursive: true });
  writeFileSync(join(folder, 'code', 'file'), '');
  symlinkSync(join(folder, 'other'), join(folder, 'code', 'out'));
  symlinkSync('app', join(folder, 'code', 'within'));
  root = { paths: [join(folder, 'code')], label: 'code' };
  other = { paths: [join(folder, 'other')], label: 'other' };
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the core gets for a call of the page, and what the page gets for the core's answer. */
async function cross(
  name: string,
  input: unknown,
  answer: (given: unknown) => unknown = () => null,
): Promise<unknown[]> {
  const names = createPathAliases(key, [root, other]);
  let given: unknown;
  const around = createPathBoundary({ names, roots: [root] });
  const answered = await around({ name, input }, async (changed) => answer((given = changed)));
  return [given, answered];
}

const aliasOf = (place: AliasedFolder): string => createPathAliases(key, [place]).aliasOf(place);
const refusal = (name: string): Promise<unknown> =>
  cross('sessions.create', { projectPath: name }).then(
    () => 'let through',
    (error: unknown) => (error instanceof ORPCError ? error.data.code : error),
  );

it("a path boundary keeps the name of a hub's model, in both directions", async () => {
  const ids = ['hf:owner/Repo-GGUF:Q4_K_M', 'hf:tmp/home/etc/m-Q8_0.gguf'];
  for (const id of ids) {
    const entry = { id, label: 'm.gguf', choices: [{ id, model: 'llama-cpp/m' }] };
    expect(await cross('models.show', { id }, () => entry)).toEqual([{ id }, entry]);
  }
});

describe("the folder in a browser's request", () => {
  it('may be a root or a folder below it, in each place of the input', async () => {
    const path = join(folder, 'code', 'app');
    const name = `${aliasOf(root)}/app`;
    const place = { place: { projectPath: name }, text: 'a' };
    expect((await cross('attachments.find', place))[0]).toEqual({ place: { projectPath: path }, text: 'a' });
    expect((await cross('costs', { by: 'day', project: `${name}/` }))[0]).toEqual({ by: 'day', project: path });
    expect((await cross('rules.show', { projectPath: null }))[0]).toEqual({ projectPath: null });
    expect((await cross('budget.show', { projectPath: aliasOf(root) }))[0]).toEqual({
      projectPath: join(folder, 'code'),
    });
  });

  it('is refused as a path, as another place, and through a link or ".."', async () => {
    const id = aliasOf(root);
    const tricks = [
      join(folder, 'code', 'app'),
      'app',
      '',
      '/',
      '~',
      `${id}/..`,
      `${id}/app/../../other`,
      `${id}/./app`,
      `${id}//app`,
      `${id}/app//`,
      `${id}/out`,
      `${id}/out/app`,
      `${id}/within`,
      `${id}/file`,
      `${id}/missing`,
      `${id}/app\0`,
      `${id}/%2e%2e`,
      `${id}/app\\..\\..`,
      `${id}x`,
      id.replace('code', 'other'),
      aliasOf(other),
      `${aliasOf(other)}/app`,
      `~${'0'.repeat(16)}/code/app`,
      'project:',
      'project:x/../../../etc',
      'project:abcdefghij/../..',
      'project:../other',
    ];
    expect(Object.fromEntries(await Promise.all(tricks.map(async (one) => [one, await refusal(one)])))).toEqual(
      Object.fromEntries(tricks.map((one) => [one, 'refused'])),
    );
  });

  it('may be the id of a project that has no folder', async () => {
    const key = { project: 'project:abcdefghij' };
    expect((await cross('projects.page', key))[0]).toEqual(key);
  });

  // Bug: the answer to a whole path was that "code/app" is not served: the path was hidden in it.
  it('must be given by its alias if a whole path was typed', async () => {
    const error: unknown = await cross('sessions.create', { projectPath: join(folder, 'code', 'app') }).catch(
      (one: unknown) => one,
    );
    const { message, data } = error instanceof ORPCError ? error : { message: '', data: { hint: '' } };
    expect(message).toBe('In the browser, a folder is named without the path of this machine before it.');
    expect(data.hint).toContain('such as code/app.');
  });

  // Bug: a folder that was mistyped was "not in the folders that Dewpoint serves", with the advice to begin as it did.
  it('is said not to be there, in the same words behind a link, and a path elsewhere gets the same hint', async () => {
    const said = async (projectPath: string): Promise<string> => {
      const error: unknown = await cross('sessions.create', { projectPath }).catch((one: unknown) => one);
      return error instanceof ORPCError ? `${error.message} ${error.data.hint}` : 'let through';
    };
    const missing = await said(`${aliasOf(root)}/missing`);
    expect(missing).toMatch(/^There is no folder \S+\/missing, or a link leads to it\. Check the name\./u);
    expect(await said(`${aliasOf(root)}/out`)).toBe(missing.replace('/missing', '/out'));
    expect(await said('/elsewhere/code/app')).toBe(await said(join(folder, 'code', 'app')));
    expect(await said('/elsewhere/app')).toContain('such as code/my-project.');
  });

  it('is checked in every input of the contract that has one', () => {
    const found = new Set(
      inputs(contract, '').flatMap(([name, schema]) => pathFields(schema).map((at) => `${name}: ${at}`)),
    );
    expect([...found].sort()).toEqual(
      [
        // For attachments, a browser's call with a `path` is refused by a rule of its own.
        'attachments.keep: path',
        'attachments.keep: place.projectPath',
        'attachments.chats: path',
        'attachments.chats: place.projectPath',
        'attachments.keepChats: path',
        'attachments.keepChats: place.projectPath',
        'attachments.find: place.projectPath',
        'attachments.keepResource: place.projectPath',
        'attachments.prompts: place.projectPath',
        'attachments.resources: place.projectPath',
        'attachments.takePrompt: place.projectPath',
        'attachments.preview: place.projectPath',
        'budget.change: projectPath',
        'budget.show: projectPath',
        // Not available to a browser.
        'capsules.check: path',
        'capsules.make: filesHash',
        'capsules.make: path',
        'capsules.unpack: folder',
        'capsules.unpack: path',
        'calibrations.create: projectPath',
        // Inside the workspace of a session.
        'changes.file: source.path',
        // Whether files go back at all.
        'changes.restore: files',
        'changes.show: paths',
        'changes.take: paths',
        'changes.undo: paths',
        'comparisons.create: projectPath',
        // What a right answer names. No file is opened by it.
        'comparisons.create: tasks.answer.path',
        'comparisons.create: tasks.hidden.projectPath',
        'comparisons.create: tasks.start.projectPath',
        // Not available to a browser.
        'comparisons.dropTasks: projectPaths',
        'comparisons.tasks: path',
        'costs: project',
        'monthCosts: project',
        // Relative to the workspace of a session.
        'documents.find: places.path',
        'documents.show: place.path',
        // Relative to the project.
        // Not available to a browser.
        'git.clone: folder',
        'git.issue: projectPath',
        'git.planPush: projectPath',
        // Not available to a browser.
        'git.pull: projectPath',
        'git.push: projectPath',
        'git.read: ask.path',
        'git.read: projectPath',
        // Not available to a browser. Otherwise only for files in the folders of a session.
        'host.openFile: path',
        'knowledge.add: projectPath',
        'knowledge.add: sources.path',
        'knowledge.list: projectPath',
        'knowledge.remove: projectPath',
        'knowledge.setWhole: projectPath',
        // Relative to the project.
        'memory.add: projectPath',
        'memory.forget: projectPath',
        'memory.list: projectPath',
        'projects.approveInstructions: path',
        'projects.approveInstructions: projectPath',
        // Not available to a browser.
        'projects.bringImage: file',
        'projects.bringImage: projectPath',
        // Not available to a browser.
        'projects.configure: change.path',
        'projects.configure: projectPath',
        'projects.copySize: projectPath',
        'projects.forgetInstructions: path',
        'projects.forgetInstructions: projectPath',
        'projects.change: project',
        // Not available to a browser.
        'projects.change: change.path',
        'projects.create: folder',
        'projects.page: project',
        'projects.removal: project',
        'projects.remove: project',
        'projects.image: projectPath',
        'projects.instructions: projectPath',
        'projects.map: projectPath',
        'projects.parts: projectPath',
        'projects.preparation: projectPath',
        'projects.prepare: projectPath',
        'projects.removePackages: projectPath',
        // Checked by `checkWorkspace`, like every project.
        'projects.search: projectPath',
        'projects.settings: projectPath',
        // Not available to a browser.
        'skills.add: path',
        'skills.disable: projectPath',
        'skills.enable: projectPath',
        'skills.list: projectPath',
        'skills.show: projectPath',
        'templates.list: projectPath',
        // Not available to a browser without `--allow settings`, and no path is opened: they lie in the home.
        'templates.remove: projectPath',
        'templates.save: projectPath',
        'templates.save: before.projectPath',
        'routing.expect: projectPath',
        'routing.forget: projectPath',
        'routing.learned: projectPath',
        'receipts.show: project',
        'receipts.sign: project',
        'rules.approve: projectPath',
        'rules.check: projectPath',
        'rules.save: projectPath',
        'rules.show: projectPath',
        'rules.test: path',
        'rules.test: projectPath',
        // Not available to a browser, except for the list.
        'ownTools.approve: projectPath',
        'ownTools.create: projectPath',
        // A name that only says the language. No file is opened.
        'ownTools.check: file',
        'ownTools.forget: projectPath',
        'ownTools.list: projectPath',
        'ownTools.read: file',
        'ownTools.read: projectPath',
        'ownTools.removeProgram: projectPath',
        'ownTools.save: file',
        'ownTools.save: projectPath',
        'ownTools.secret: projectPath',
        'ownTools.set: projectPath',
        'ownTools.test: projectPath',
        'ownTools.testText: file',
        'ownTools.testText: projectPath',
        'ownTools.versions: projectPath',
        'models.import: path',
        'models.addAdapter: path',
        'sessions.create: project',
        'sessions.move: project',
        'sessions.movePreview: project',
        'sessions.create: projectPath',
        'sessions.export: path',
        'sessions.import: path',
        'tools.addKnown: folder',
        'tools.importFile: path',
        'tools.list: projectPath',
        'tools.set: projectPath',
        // Only fences use the path. No file is opened.
        'sessions.send: attachments.path',
        'sessions.send: attachments.fileId',
        'attachments.preview: attachments.path',
        'attachments.preview: attachments.fileId',
        'sessions.send: options.projectPath',
      ].sort(),
    );
  });
});

describe('an answer of the core to a browser', () => {
  const path = (): string => join(folder, 'code', 'app', 'main.py');
  const name = 'code/app/main.py';

  it('has aliases for paths, also in errors and at the end of a stream', async () => {
    expect((await cross('sessions.show', {}, () => ({ text: `see ${path()}` })))[1]).toEqual({ text: `see ${name}` });
    const fail = (): never => {
      throw new AppError('not-found', `No ${path()}`, { hint: `Make ${path()}` });
    };
    const thrown = await cross('sessions.show', {}, fail).catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      defined: true,
      message: `No ${name}`,
      data: { code: 'not-found', message: `No ${name}`, hint: `Make ${name}` },
    });
    const stream = async function* (): AsyncIterable<unknown> {
      yield { text: path() };
      fail();
    };
    const [, streamed] = await cross('models.pull', {}, stream);
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const item of streamed as AsyncIterable<unknown>) seen.push(item);
    })();
    await expect(reading).rejects.toMatchObject({ message: `No ${name}` });
    expect(seen).toEqual([{ text: `${aliasOf(root)}/app/main.py` }]);
  });

  // Catches: a folder whose name HTML escapes, and which is told in a downloaded page therefore.
  it('has aliases in a page that is downloaded, as HTML and JSON escape them', async () => {
    const own: AliasedFolder = { paths: [join(folder, 'R&D "x"')], label: 'lab' };
    const names = createPathAliases(key, [own]);
    const [path = ''] = own.paths;
    const text = [path, escapeHtml(path), JSON.stringify(path), escapeHtml(JSON.stringify(path))].join('\n');
    const stream = async function* (): AsyncIterable<unknown> {
      yield { type: 'text', text };
    };
    const around = createPathBoundary({ names, roots: [own] });
    const given = await around({ name: 'sessions.download', input: {} }, async () => stream());
    const seen: unknown[] = [];
    for await (const piece of given as AsyncIterable<unknown>) seen.push(piece);
    expect(seen).toEqual([{ type: 'text', text: 'lab\nlab\n"lab"\n&quot;lab&quot;' }]);
  });

  it('has aliases when a path comes in pieces, for each text separately', async () => {
    const middle = folder.length + 3;
    const piece = (type: string, id: string, text: string) => ({ type, callId: id, text });
    const pushes = async function* (): AsyncIterable<unknown> {
      yield { type: 'transients', items: [piece('text-delta', 'a', `In ${path().slice(0, middle)}`)] };
      yield { type: 'transients', items: [piece('reasoning-delta', 'a', 'So '), piece('text-delta', 'b', 'No')] };
      yield { type: 'transients', items: [piece('text-delta', 'a', path().slice(middle)), { type: 'call-progress' }] };
    };
    const [, streamed] = await cross('sessions.events', {}, pushes);
    const seen: unknown[] = [];
    for await (const item of streamed as AsyncIterable<{ items: unknown[] }>) seen.push(...item.items);
    expect(seen).toEqual([
      piece('text-delta', 'a', 'In '),
      piece('reasoning-delta', 'a', 'So '),
      piece('text-delta', 'b', 'No'),
      piece('text-delta', 'a', name),
      { type: 'call-progress' },
    ]);
  });

  it("may be sent back with a change, but a person's own words stay", async () => {
    const key = ['projects', `${aliasOf(root)}/app`];
    const value = { program: `${aliasOf(other)}/bin` };
    expect((await cross('settings.set', { key, value }))[0]).toEqual({
      key: ['projects', join(folder, 'code', 'app')],
      value: { program: join(folder, 'other', 'bin') },
    });
    const said = { sessionId: 's', text: `What is in ${aliasOf(root)}?` };
    expect((await cross('sessions.send', said))[0]).toEqual(said);
  });
});

type Named = readonly (readonly [string, unknown])[];

function inputs(node: object, name: string): Named {
  if (isContractProcedure(node)) return [[name, node['~orpc'].inputSchema]];
  return Object.entries(node).flatMap(([key, child]) => inputs(Object(child), name === '' ? key : `${name}.${key}`));
}

/** The places in an input whose names suggest a path or a folder. */
function pathFields(schema: unknown): readonly string[] {
  if (!(schema instanceof z.ZodType)) return [];
  return fieldsOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), '');
}

function fieldsOf(node: unknown, at: string): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (key !== 'properties') return fieldsOf(value, at);
    return Object.entries(Object(value)).flatMap(([name, child]) => {
      const place = at === '' ? name : `${at}.${name}`;
      const isPath = /path|folder|file|director|^project$/iu.test(name);
      return [...(isPath ? [place] : []), ...fieldsOf(child, place)];
    });
  });
}
