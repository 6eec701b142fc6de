import { expect, it } from 'vitest';
import { createLiveView } from '../../../../../src/main/hosts/cli/terminal/live-view.ts';
import { call, createAgentKit, turnOptions } from '../../../../fakes/agent-kit.ts';
import { commandContext } from '../../../../fakes/command-context.ts';
import { createFakeCore } from '../../../../fakes/fake-core.ts';

// Bug: what the person needed for the answer stood beside the question, and the terminal showed the question alone.
it('the view of a running task shows a question of the agent with what was written beside it', async () => {
  const ask = call('ask_person', { question: 'A or B?' });
  const kit = createAgentKit({
    replies: [{ ...ask, text: 'Rule A changes three bills.' }],
    sandbox: { files: { 'a.py': 'x = 1\n' }, exec: () => ({}) },
  });
  await kit.runner.send('Change the bills.', { ...turnOptions, strategy: 'loop', mode: 'work' });
  const shown = (isInteractive: boolean): string => {
    const { context, said } = commandContext(createFakeCore([]));
    const view = createLiveView({ ...context.terminal, isInteractive }, () => 0);
    for (const event of kit.journal.events) view.event(event);
    view.close();
    return said.err;
  };
  expect(shown(true).split('Rule A changes three bills.\n')).toHaveLength(2);
  expect(shown(false)).not.toContain('Rule A');
});
