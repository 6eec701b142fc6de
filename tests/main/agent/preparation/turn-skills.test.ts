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

function kitWith(replies: readonly Reply[], held: readonly string[] = []) {
  return createAgentKit({
    replies,
    dependencies: {
      project: {
        skills: {
          find: async () => ({ offered: [{ name: 'release-notes', description: 'Writes release notes.' }], held }),
          load: async (name) => (name === 'release-notes' ? skill : null),
        },
      },
    },
  });
}

const done: Reply = call('task_complete', { summary: 'Done.' });

describe('the skills of a turn', () => {
  it('are told with their descriptions, and read by a tool with their names only', async () => {
    const kit = kitWith([
      call('use_skill', { name: 'release-notes' }),
      call('use_skill', { name: 'release-notes', file: 'style.md' }),
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
    expect(results[0]?.output).toContain('Its files lie in .agents/skills/release-notes: style.md');
    expect(results[0]?.output).toContain('for these tools only: Read');
    expect(results[1]?.output).toBe('Short lines.');
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
});
