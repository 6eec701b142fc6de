import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LoadedSkill } from '../../../../src/main/skills/session-skills.ts';
import { call, createAgentKit, ofType, turnOptions, type Reply } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const skill: LoadedSkill = {
  skill: {
    name: 'release-notes',
    description: 'Writes release notes.',
    text: 'List what changed for whom.',
    allowedTools: ['Read'],
    warnings: [],
  },
  folder: '.agents/skills/release-notes',
  files: new Map([
    ['SKILL.md', Buffer.from('x')],
    ['style.md', Buffer.from('Short lines.')],
  ]),
};

function kitWith(replies: readonly Reply[], held: readonly string[] = [], loaded = skill, model = {}) {
  return createAgentKit({
    replies,
    model,
    dependencies: {
      project: {
        skills: {
          find: async () => ({ offered: [{ name: 'release-notes', description: 'Writes release notes.' }], held }),
          load: async (name) => (name === 'release-notes' ? loaded : null),
        },
      },
    },
  });
}

/** What the log says about the calls of a tool. */
const endsOf = (kit: ReturnType<typeof kitWith>, tool: string) =>
  ofType(kit.journal.events, 'tool-ended').filter((event) => event.tool === tool);

const done: Reply = call('task_complete', { summary: 'Done.' });

describe('the skills of a turn', () => {
  it('are told with their descriptions, and read by a tool with their names only', async () => {
    const kit = kitWith([
      call('use_skill', { name: 'release-notes' }),
      call('use_skill', { name: 'release-notes', file: 'style.md' }),
      call('use_skill', { name: 'release-notes', file: '.agents/skills/release-notes/style.md' }),
      call('use_skill', { name: 'other' }),
      done,
    ]);
    await kit.runner.send('Write the notes.', turnOptions);
    const [first] = kit.requests;
    expect(JSON.stringify(first?.messages)).toContain('- release-notes: Writes release notes.');
    const tool = first?.tools.find(({ name }) => name === 'use_skill');
    expect(
      z.object({ properties: z.object({ name: z.object({ enum: z.array(z.string()) }) }) }).parse(tool?.inputSchema),
    ).toMatchObject({ properties: { name: { enum: ['release-notes'] } } });
    const results = ofType(kit.journal.events, 'tool-ended').filter(({ tool: name }) => name === 'use_skill');
    expect(results[0]?.output).toContain('List what changed for whom.');
    expect(results[0]?.output).toContain(
      'Its files lie in .agents/skills/release-notes: style.md. Run scripts with run_command.',
    );
    expect(results[0]?.output).toContain('for these tools only, so no other runs until this task ends: read_file.');
    expect(results[1]?.output).toBe('Short lines.');
    expect(results[2]?.output).toBe('Short lines.');
    await expectReplay(kit);
  });

  it('cost a turn without skills nothing', async () => {
    const kit = createAgentKit({ replies: [done] });
    await kit.runner.send('Write the notes.', turnOptions);
    expect(JSON.stringify(kit.requests)).not.toMatch(/skill/iu);
  });

  it.each(['/release-notes for 1.2', 'Use the skill "release-notes".\n\nfor 1.2'])(
    'are read before the first step when the message begins with %j',
    async (text) => {
      const kit = kitWith([done]);
      await kit.runner.send(text, turnOptions);
      expect(JSON.stringify(kit.requests[0]?.messages)).toContain('List what changed for whom.');
      await expectReplay(kit);
    },
  );

  it('of a project that wait for a yes are said once in a session', async () => {
    const kit = kitWith([done, done], ['deploy']);
    await kit.runner.send('One.', turnOptions);
    await kit.runner.send('Two.', turnOptions);
    const notices = ofType(kit.journal.events, 'notice-added').filter(({ code }) => code === 'skills-held');
    expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('deploy')]);
    expect(JSON.stringify(kit.requests)).not.toContain('deploy');
  });

  it('stay when the conversation is summarized, again and again', async () => {
    const kit = kitWith([
      call('use_skill', { name: 'release-notes' }),
      done,
      ...Array.from({ length: 12 }, () => done),
    ]);
    await kit.runner.send('Write the notes.', turnOptions);
    for (const text of ['Go on.', 'And on.', 'More.', 'Even more.'])
      await kit.runner.send(text, { ...turnOptions, compact: true });
    expect(ofType(kit.journal.events, 'context-compacted').length).toBeGreaterThan(1);
    const last = JSON.stringify(kit.requests.at(-1)?.messages);
    expect(last).toContain('What happened so far');
    expect(last.split('List what changed for whom.').length).toBe(2);
    await expectReplay(kit);
  });

  it('narrow what the turn may call, and nothing after it', async () => {
    const kit = kitWith([
      call('use_skill', { name: 'release-notes' }),
      call('run_command', { command: 'ls' }),
      call('read_file', { path: 'a.py' }),
      done,
      done,
      call('search', { pattern: 'x' }),
      done,
    ]);
    await kit.runner.send('Write the notes.', turnOptions);
    const offered = kit.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(offered[0]).toContain('run_command');
    expect(offered[1]?.toSorted()).toEqual(['ask_person', 'read_file', 'task_complete', 'update_plan', 'use_skill']);
    expect(endsOf(kit, 'run_command')[0]).toMatchObject({
      status: 'refused',
      output: expect.stringContaining('works by the skill "release-notes"'),
    });
    expect(endsOf(kit, 'read_file')[0]?.status).toBe('ok');
    await kit.runner.send('Look for x.', turnOptions);
    expect(kit.requests.at(-1)?.tools.map(({ name }) => name)).toContain('run_command');
    expect(endsOf(kit, 'search')[0]?.status).toBe('ok');
    await expectReplay(kit);
  });

  it('narrow calls of the answer that chose them', async () => {
    const both: Reply = {
      calls: [
        { name: 'use_skill', input: { name: 'release-notes' } },
        { name: 'run_command', input: { command: 'ls' } },
      ],
    };
    const kit = kitWith([both, done]);
    await kit.runner.send('Write the notes.', turnOptions);
    expect(endsOf(kit, 'run_command')[0]?.status).toBe('refused');
    await expectReplay(kit);
  });

  it('leave no recipe that changes files by itself when they narrow', async () => {
    const kit = kitWith([done, done, done]);
    await kit.runner.send('/release-notes Fix the failing tests.', { ...turnOptions, strategy: 'recipe' });
    expect(ofType(kit.journal.events, 'turn-ended')[0]?.text).toContain('leaves no recipe');
  });

  // Bug: with a small model, a recipe did the task that a person had given to a skill, and never saw it.
  it('are worked by when the message names one, where a recipe would fit', async () => {
    const open: LoadedSkill = { ...skill, skill: { ...skill.skill, allowedTools: [] } };
    const kit = kitWith([done, done, done], [], open);
    await kit.runner.send('/release-notes Fix the failing tests.', { ...turnOptions, strategy: 'recipe' });
    expect(ofType(kit.journal.events, 'turn-ended')[0]?.text).toContain('A recipe does not work by a skill.');
  });

  // Bug: a skill found the figure that a person asked for, and the person read "Done."
  it('leave no question with "Done." for an answer', async () => {
    const open: LoadedSkill = { ...skill, skill: { ...skill.skill, allowedTools: [] } };
    const kit = kitWith(
      [
        call('run_command', { command: 'ls | wc -l' }),
        call('task_complete', { summary: 'Done.' }),
        { text: 'There is one.' },
      ],
      [],
      open,
      { parametersB: 1.5 },
    );
    await kit.runner.send('/release-notes How many files are there?', { ...turnOptions, strategy: 'loop' });
    expect(ofType(kit.journal.events, 'turn-ended')[0]?.text).toBe('There is one.');
    expect(JSON.stringify(kit.requests.at(-1)?.messages)).toContain('Result: ');
    await expectReplay(kit);
  });

  it('name their own folder where it lies', async () => {
    const text = 'Run `sh ${SKILL_DIR}/a.sh`, `sh ${CLAUDE_SKILL_DIR}/b.sh`, `sh {baseDir}/c.sh`.';
    const kit = kitWith([done], [], { ...skill, skill: { ...skill.skill, text } });
    await kit.runner.send('/release-notes Write them.', turnOptions);
    const at = '.agents/skills/release-notes';
    expect(endsOf(kit, 'use_skill')[0]?.output).toContain(
      `Run \`sh ${at}/a.sh\`, \`sh ${at}/b.sh\`, \`sh ${at}/c.sh\`.`,
    );
  });

  it('allow nothing that the turn may not do anyway', async () => {
    const kit = createAgentKit({
      replies: [call('use_skill', { name: 'release-notes' }), call('write_file', { path: 'a', text: 'x' }), done],
      dependencies: {
        project: {
          skills: {
            find: async () => ({ offered: [{ name: 'release-notes', description: 'x' }], held: [] }),
            load: async () => ({ ...skill, skill: { ...skill.skill, allowedTools: ['Write', 'Bash'] } }),
          },
        },
      },
    });
    await kit.runner.send('What would the notes say?', { ...turnOptions, mode: 'plan' });
    expect(kit.requests[1]?.tools.map(({ name }) => name)).not.toContain('write_file');
    expect(ofType(kit.journal.events, 'file-changed')).toEqual([]);
  });
});
