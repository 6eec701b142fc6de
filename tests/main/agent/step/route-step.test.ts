import { describe, expect, it } from 'vitest';
import { createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';

const price = { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15, source: 'test', date: '2026-11-21' };
const words = { question: 'What does add() do?', order: 'Fix add().' };

describe('whether the task of a step is a question', () => {
  // Bug: the router read the words alone, where the prompt, the tools and the gate went by the chosen mode.
  it.each([
    ['ask', words.question, 1],
    ['ask', words.order, 1],
    ['work', words.question, 0],
    ['work', words.order, 0],
  ] as const)('follows the mode %s before the words "%s"', async (mode, text, expected) => {
    const kit = createAgentKit({
      replies: Array.from({ length: 8 }, () => ({ text: 'It adds.' })),
      cloud: { price },
      sandbox: { files: { 'calc.py': 'def add(a, b):\n    return a - b\n' } },
    });
    await kit.runner.send(text, { ...turnOptions, policy: 'hybrid', cloud: 'sky/model', mode });
    const routes = ofType(kit.journal.events, 'route-decided');
    expect(new Set(routes.map(({ features }) => features?.['taskIsQuestion']))).toEqual(new Set([expected]));
  });
});
