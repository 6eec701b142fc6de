import { describe, expect, it } from 'vitest';
import { failure, success } from '@shared/errors.ts';
import { restoreId } from '@shared/session/restore-state.ts';
import { restoreTo } from '../../../../src/main/sessions/changes/restore-to.ts';
import type { AgentDependencies } from '../../../../src/main/agent/turn/agent-dependencies.ts';
import type { AgentKit } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const done = call('task_complete', { summary: 'It is done.' });

const sent = (kit: AgentKit): string => JSON.stringify(kit.requests.at(-1)?.messages);

async function chat(kit: AgentKit, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await kit.runner.send(text, turnOptions);
}

function messageId(kit: AgentKit, index: number): string {
  return ofType(kit.journal.events, 'user-message-added')[index]?.messageId ?? '';
}

const map = { text: 'a.py: 1 x', files: 1, definitions: 1, all: { files: 1, definitions: 1 } };
const mapped: Partial<AgentDependencies['project']> = {
  findParts: async () => ['symbols'],
  symbols: {
    map: async () => success(map),
    update: async () => failure('not-found', 'Not here.'),
    find: async () => failure('not-found', 'Not here.'),
    outline: async () => failure('not-found', 'Not here.'),
    rank: async () => failure('not-found', 'Not here.'),
  },
};

const conversation = { files: false, conversation: true };

/** Catches: a model that still sees what the person took back, or that lost what was said before. */
describe('a conversation that was restored', () => {
  it('shows the next call what was said before the checkpoint, and nothing after it', async () => {
    const kit = createAgentKit({ replies: [done, done, done] });
    await chat(kit, 'Fix the apple.', 'Fix the banana.');
    await restoreTo(kit.journal, { checkpoint: messageId(kit, 1), ...conversation });
    await chat(kit, 'Fix the cherry.');
    expect(sent(kit)).toContain('apple');
    expect(sent(kit)).not.toContain('banana');
    expect(sent(kit)).toContain('cherry');
    expect(kit.journal.events.some((event) => JSON.stringify(event).includes('banana'))).toBe(true);
    await expectReplay(kit);
  });

  it('goes to the middle of a turn, before one of its steps', async () => {
    const read = call('read_file', { path: 'a.py' });
    const kit = createAgentKit({ replies: [read, call('list_files', {}), done, done] });
    await chat(kit, 'Fix the apple.');
    const steps = ofType(kit.journal.events, 'model-call-started');
    await restoreTo(kit.journal, { checkpoint: steps[1]?.callId ?? '', ...conversation });
    await chat(kit, 'Fix the cherry.');
    expect(sent(kit)).toContain('read_file');
    expect(sent(kit)).not.toContain('list_files');
    expect(sent(kit)).not.toContain('It is done.');
    await expectReplay(kit);
  });

  it('comes back whole when the restore is undone', async () => {
    const kit = createAgentKit({ replies: [done, done, done] });
    await chat(kit, 'Fix the apple.', 'Fix the banana.');
    await restoreTo(kit.journal, { checkpoint: messageId(kit, 0), ...conversation });
    const seq = kit.journal.state().restores?.at(-1)?.seq ?? 0;
    await restoreTo(kit.journal, { checkpoint: restoreId(seq), ...conversation });
    await chat(kit, 'Fix the cherry.');
    expect(sent(kit)).toContain('apple');
    expect(sent(kit)).toContain('banana');
    await expectReplay(kit);
  });

  it('keeps the costs of the work that it no longer shows', async () => {
    const kit = createAgentKit({ replies: [done, done] });
    await chat(kit, 'Fix the apple.', 'Fix the banana.');
    const [money, { totals }] = [kit.journal.money(), kit.journal.state()];
    await restoreTo(kit.journal, { checkpoint: messageId(kit, 0), ...conversation });
    expect(kit.journal.money()).toEqual(money);
    expect(kit.journal.state().totals).toEqual(totals);
  });

  // Catches: a model that works without the map for the rest of the session.
  it('shows the map of the project again when a restore took it out, and only then', async () => {
    const kit = createAgentKit({ replies: [done, done, done], dependencies: { project: mapped } });
    await chat(kit, 'Fix the apple.', 'Fix the banana.');
    const [first, second] = kit.requests.map(({ messages }) => JSON.stringify(messages[1]));
    expect(first).toContain('Map of the project');
    expect(second).toBe(first);
    expect(sent(kit).split('Map of the project')).toHaveLength(2);
    await restoreTo(kit.journal, { checkpoint: messageId(kit, 0), ...conversation });
    await chat(kit, 'Fix the cherry.');
    expect(sent(kit).split('Map of the project')).toHaveLength(2);
    await expectReplay(kit);
  });
});
