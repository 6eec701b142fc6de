import { describe, expect, it } from 'vitest';
import { createAgentKit, turnOptions } from '../../../fakes/agent-kit.ts';

const long = 'Always use tabs.\n'.repeat(2000);
const firstPrompt = async (contextTokens: number, parametersB: number, text: string): Promise<string> => {
  const kit = createAgentKit({
    model: { contextTokens, parametersB },
    sandbox: { files: { 'a.py': 'x', 'AGENTS.md': text } },
    replies: [{ text: 'x' }],
  });
  await kit.runner.send('What is x?', turnOptions);
  return JSON.stringify(kit.requests[0]?.messages);
};

describe('the instructions of a project', () => {
  it('are in the first prompt', async () => {
    expect(await firstPrompt(32_768, 30, 'Use tabs.')).toContain(
      'Instructions of the project (AGENTS.md):\\nUse tabs.',
    );
  });

  it('are cut to a twentieth of a small window, and that is said', async () => {
    const prompt = await firstPrompt(8192, 1.5, long);
    expect(prompt).toContain(`of ${long.trim().length} bytes; read the file for the rest`);
    expect(prompt.length).toBeLessThan(4000);
  });

  it('are not given again while they stay the same', async () => {
    const kit = createAgentKit({
      sandbox: { files: { 'AGENTS.md': 'Use tabs.' } },
      replies: [{ text: 'one' }, { text: 'two' }],
    });
    await kit.runner.send('What is x?', turnOptions);
    await kit.runner.send('What is y?', turnOptions);
    const prompt = JSON.stringify(kit.requests[1]?.messages);
    expect(prompt.split('Use tabs.')).toHaveLength(2);
  });
});
