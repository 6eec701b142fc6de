import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { neverAborts } from '../../../src/main/lib/async/abort.ts';
import { createProjectInstructions } from '../../../src/main/safety/instructions/project-instructions.ts';
import { createHomeSkills } from '../../../src/main/skills/home-skills.ts';
import { offeredFile, offeredFiles } from '../../../src/main/skills/offered-files.ts';
import { createSessionSkills } from '../../../src/main/skills/session-skills.ts';
import { reviewedSkill, skillReview } from '../../../src/main/skills/skill-review.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

const file = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}.\n---\nSteps of ${name}.\n`;

describe('the skills of a project', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'dewpoint-skills-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
  }

  function parts(off: readonly string[] = []) {
    const project = join(root, 'project');
    const instructions = createProjectInstructions(join(root, 'instructions.json'), {
      all: offeredFiles,
      one: offeredFile,
    });
    const home = createHomeSkills([join(root, 'home/skills')]);
    const session = createSessionSkills({ instructions, folder: project, home, off: () => off });
    return { project, instructions, session };
  }

  const inside = (files: Readonly<Record<string, string>>) => ({
    paths: Object.keys(files),
    files: createMemorySandbox({ files }).files,
  });

  it('are offered only after a yes to exactly the bytes of all their files', async () => {
    const files = { '.claude/skills/forms/SKILL.md': file('forms'), '.claude/skills/forms/run.py': 'print(1)\n' };
    await write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`project/${path}`, text])));
    const { project, instructions, session } = parts();
    const find = (now: Record<string, string>) => {
      const { paths, files: sandbox } = inside(now);
      return session.find(paths, sandbox, neverAborts);
    };
    expect(await find(files)).toEqual({ offered: [], held: ['forms'] });
    const [listed] = await instructions.list(project);
    expect(listed).toMatchObject({ path: '.claude/skills/forms/SKILL.md', state: 'new' });
    expect(listed?.text).toContain('print(1)');
    await instructions.approve(project, listed?.path ?? '', listed?.sha256 ?? '');
    expect(await find(files)).toEqual({ offered: [{ name: 'forms', description: 'Does forms.' }], held: [] });
    // A script that changed, and one that was added, are not what was approved.
    expect((await find({ ...files, '.claude/skills/forms/run.py': 'print(2)\n' })).held).toEqual(['forms']);
    expect((await find({ ...files, '.claude/skills/forms/more.py': '' })).held).toEqual(['forms']);
    const { paths, files: sandbox } = inside({ ...files, '.claude/skills/forms/SKILL.md': `${file('forms')}!` });
    expect(await session.load('forms', paths, sandbox, neverAborts)).toBeNull();
  });

  /** Catches: a note that asks to approve what can only be repaired, and names a skill once for each of its folders. */
  it('wait for a yes once for each name, and not where their text makes no skill', async () => {
    const files = {
      '.agents/skills/forms/SKILL.md': file('forms'),
      '.claude/skills/forms/SKILL.md': file('forms'),
      '.claude/skills/notes/SKILL.md': 'Only a text.\n',
    };
    const { paths, files: sandbox } = inside(files);
    expect(await parts().session.find(paths, sandbox, neverAborts)).toEqual({ offered: [], held: ['forms'] });
  });

  it('stand before those of the home with the same name, and none is offered that is off', async () => {
    await write({ 'home/skills/forms/SKILL.md': file('forms'), 'home/skills/notes/SKILL.md': file('notes') });
    const none = inside({});
    expect(await parts().session.find([], none.files, neverAborts)).toMatchObject({
      offered: [{ name: 'forms' }, { name: 'notes' }],
    });
    const { session } = parts(['forms']);
    expect(await session.find([], none.files, neverAborts)).toMatchObject({ offered: [{ name: 'notes' }] });
    expect(await session.load('forms', [], none.files, neverAborts)).toBeNull();
    expect((await session.load('notes', [], none.files, neverAborts))?.skill.text).toBe('Steps of notes.');
  });

  it('never lead out of their folder by a link', async () => {
    await write({ 'secret/SKILL.md': file('secret'), 'project/.agents/skills/good/SKILL.md': file('good') });
    await write({ 'secret/key.txt': 'k' });
    await symlink(join(root, 'secret'), join(root, 'project/.agents/skills/secret'));
    await symlink(join(root, 'secret/key.txt'), join(root, 'project/.agents/skills/good/key.txt'));
    await symlink(join(root, 'secret'), join(root, 'project/.claude'));
    const listed = await offeredFiles(join(root, 'project'));
    expect(listed.map(({ path }) => path)).toEqual(['.agents/skills/good/SKILL.md']);
    expect(listed[0]?.bytes?.toString()).not.toContain('key.txt');
  });

  it('come with the prompt files, each approved by its own path', async () => {
    await write({
      'project/.github/prompts/Review Code.prompt.md': 'Review it.',
      'project/.claude/commands/team/ship.md': 'Ship $ARGUMENTS.',
      'project/.dewpoint/commands/go.md': 'Go.',
      'project/.claude/commands/notes.txt': 'no',
    });
    const { project, instructions } = parts();
    expect((await instructions.offered(project)).map(({ path, state }) => [path, state])).toEqual([
      ['.github/prompts/Review Code.prompt.md', 'new'],
      ['.claude/commands/team/ship.md', 'new'],
      ['.dewpoint/commands/go.md', 'new'],
    ]);
  });

  it('show their SKILL.md word for word in what is approved, whatever it holds', () => {
    const text = `${file('x')}\n===== "SKILL.md" (3 characters) =====\nabc`;
    const review = skillReview(
      new Map([
        ['a/===== "SKILL.md" (1 characters) =====', Buffer.from('x')],
        ['SKILL.md', Buffer.from(text)],
        ['font.bin', Buffer.from([0xff, 0])],
      ]),
    );
    expect(reviewedSkill(review?.toString() ?? '')).toBe(text);
    expect(review?.toString()).toContain('"font.bin"');
    expect(skillReview(new Map([['SKILL.md', Buffer.alloc(100_000, 65)]]))).toBeNull();
    expect(skillReview(new Map([['other.md', Buffer.from('x')]]))).toBeNull();
  });
});
