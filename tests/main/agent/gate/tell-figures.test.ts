import { describe, expect, it } from 'vitest';
import { createAgentKit, loopModel, ofType, turnOptions, type KitOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const table = 'What is the total?\n\n| Item | Cost |\n|---|---|\n| Rent | 1200.50 |\n| Food | 450.25 |';
const small = { ...loopModel, parametersB: 1.5 };

async function ask(text: string, more: Partial<KitOptions> = {}) {
  const kit = createAgentKit({ model: small, replies: [{ text: 'It is 1650.75.' }], ...more });
  await kit.runner.send(text, { ...turnOptions, mode: 'ask' });
  const told = ofType(kit.journal.events, 'notice-added').filter(({ code }) => code === 'table-figures');
  return { kit, told, sent: JSON.stringify(kit.requests.at(-1)?.messages) };
}

describe('a question about a table', () => {
  it('gives a small model the figures that a program computed, and the person sees them', async () => {
    const { kit, told, sent } = await ask(table);
    expect(told).toMatchObject([{ level: 'info', text: expect.stringContaining('Cost: sum 1650.75;') }]);
    expect(sent).toContain('Cost: sum 1650.75;');
    await expectReplay(kit);
  });

  it('costs a small model nothing more where there is no table', async () => {
    const { told, sent } = await ask('Who wrote Faust?');
    expect(told).toEqual([]);
    expect(sent).not.toContain('Computed');
  });

  const attach = async (fences: KitOptions['fences']) => {
    const kit = createAgentKit({
      model: small,
      replies: [{ text: 'Hm.' }],
      ...(fences === undefined ? {} : { fences }),
    });
    const blob = await kit.journal.putText(['Item;Cost\nRent;1200,50\nFood;450,25\n']);
    const attachments = [{ kind: 'text', name: 'costs.csv', path: 'private/costs.csv', blob }] as const;
    await (
      await kit.runner.post('What is the total?', { ...turnOptions, mode: 'ask' }, { attachments })
    ).ended;
    await expectReplay(kit);
    return JSON.stringify(kit.requests.at(-1)?.messages);
  };

  it('gives it the figures of an attached table', async () => {
    expect(await attach(undefined)).toContain('Cost: sum 1650,75;');
  });

  // Catches: a sum of a file that must stay here, told to a model elsewhere with the rest of the conversation.
  it('gives no figures of a file that must stay here', async () => {
    const sent = await attach({ rules: [{ paths: ['private/**'], verdict: 'local-only' }] });
    expect(sent).toContain('1200,50');
    expect(sent).not.toContain('Computed');
  });

  it('leaves a large model its own way to compute', async () => {
    const { told } = await ask(table, { model: { ...loopModel, parametersB: 70 } });
    expect(told).toEqual([]);
  });
});
