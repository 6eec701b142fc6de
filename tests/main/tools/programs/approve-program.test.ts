import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadSyntax } from '../../../../src/main/recipes/code/code-syntax.ts';
import type { Tool } from '../../../../src/main/tools/define.ts';
import type { CheckedProgram } from '../../../../src/main/tools/programs/approve-program.ts';
import { approveProgram } from '../../../../src/main/tools/programs/approve-program.ts';
import { readAnnouncement } from '../../../../src/main/tools/programs/program-announcement.ts';
import type { ProgramQuestion } from '../../../../src/main/tools/programs/program-calls.ts';

const reader: Tool = {
  name: 'web_read',
  description: '',
  access: 'web',
  needs: 'web',
  input: z.object({ url: z.string() }),
  label: () => 'web_read',
  run: async () => ({ status: 'ok', output: '' }),
};
const now = { model: 'ollama/coder', digest: 'ab'.repeat(32), app: '2.0.0' };

/** The reason that the person reads in the question. */
async function reasonOf(more: Partial<CheckedProgram>): Promise<readonly string[]> {
  const announcement = readAnnouncement([{ tool: 'web_read', most: 3, hosts: ['example.org'] }], [reader]);
  if ('problems' in announcement) throw new Error(announcement.problems.join('\n'));
  const questions: ProgramQuestion[] = [];
  const asked: CheckedProgram = {
    plan: 'Written by ollama/other.',
    program: 'result = 1\n',
    language: 'python',
    modules: {},
    arguments: {},
    imports: [],
    importable: [],
    limitMs: 60_000,
    ...more,
  };
  const end = await approveProgram(asked, announcement, {
    loadSyntax,
    writer: () => now,
    earlierCalls: async () => new Map([['web_read', { ms: [2_000], modelUsd: null }]]),
    review: async () => null,
    ask: async (question) => {
      questions.push(question);
      return 'allow';
    },
  });
  expect(end).toBeNull();
  return questions.flatMap(({ reason }) => reason.split('\n'));
}

describe('the question about a program', () => {
  it('shows what the calls would take, and which model wrote the program', async () => {
    expect(await reasonOf({})).toEqual([
      'These calls leave the sandbox. A yes is for all of them; each passes the fences. Other calls are refused.',
      'What its calls would take, by earlier calls of this session:',
      '- web_read, reaches the web: at most 3, 2.0 s each (1 earlier), 6.0 s in all. Money: unknown.',
      'All calls: at most 3, 6.0 s one after the other. Money: unknown.',
      'The program is stopped after 1 min.',
      'Written by ollama/coder (digest abababababab), Dewpoint 2.0.0, for this call.',
    ]);
  });

  // Catches: a kept program of an older model or version that is asked about like a new one.
  it('shows when another version wrote a kept program, and when the writer is unknown', async () => {
    const older = { ...now, app: '1.0.0' };
    expect((await reasonOf({ kept: { writer: older } })).at(-1)).toBe(
      'Written by ollama/coder (digest abababababab), Dewpoint 1.0.0. Today: ollama/coder (digest abababababab), Dewpoint 2.0.0. It was not reviewed again since.',
    );
    expect((await reasonOf({ kept: { writer: now } })).at(-1)).toBe(
      'Written by ollama/coder (digest abababababab), Dewpoint 2.0.0.',
    );
    expect((await reasonOf({ kept: { writer: null } })).at(-1)).toBe(
      'Which model and version of Dewpoint wrote it is unknown.',
    );
  });

  it('shows the writer of each imported program, and of no other', async () => {
    const kept = (name: string) => ({ name, language: 'python', text: 'x = 1\n', writer: null }) as const;
    const reason = await reasonOf({ modules: { prices: 'x = 1\n' }, importable: [kept('prices'), kept('other')] });
    expect(reason.at(-1)).toBe('It imports prices. Which model and version of Dewpoint wrote it is unknown.');
    expect(reason.join()).not.toContain('It imports other');
  });
});
