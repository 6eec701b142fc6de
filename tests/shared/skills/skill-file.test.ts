import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isSkillName, parseSkill } from '../../../src/shared/skills/skill-file.ts';

/**
 * The `SKILL.md` texts in the tests of the reference reader (PyPI `skills-ref` 0.1.1, Apache-2.0), with what that reader
 * makes of each.
 */
const examples = z
  .array(
    z.object({
      test: z.string(),
      folder: z.string(),
      text: z.string(),
      reference: z.object({
        name: z.string().nullable().optional(),
        description: z.string().nullable().optional(),
        allowedTools: z.string().nullable().optional(),
        body: z.string().optional(),
        error: z.string().optional(),
      }),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('reference-examples.json', import.meta.url), 'utf8')));

const skill = (head: string, text = 'Do it.') => parseSkill('a-skill', `---\n${head}\n---\n${text}`);

describe('the reader of skills', () => {
  const readable = examples.filter(
    ({ folder, reference }) =>
      isSkillName(folder) &&
      typeof reference.description === 'string' &&
      reference.description !== '' &&
      reference.body !== '',
  );

  it('has examples of the reference to agree with', () => {
    expect(readable.length).toBeGreaterThan(10);
  });

  it.each(readable)('reads the example of $test as the reference does', ({ folder, text, reference }) => {
    const read = parseSkill(folder, text);
    expect(read).toMatchObject({
      ok: true,
      value: { description: String(reference.description).replaceAll(/\s+/gu, ' ').trim().slice(0, 1024) },
    });
    if (read.ok) {
      expect(read.value.text).toBe(reference.body);
      expect(read.value.allowedTools.join(' ')).toBe(reference.allowedTools ?? '');
      expect(read.value.warnings.some((warning) => warning.startsWith('Its name'))).toBe(reference.name !== folder);
    }
  });

  // YAML readers refuse such a file, and people write them all the time.
  it('takes an unquoted colon as part of a description', () => {
    expect(skill('name: a-skill\ndescription: Use this when: a PDF has forms')).toMatchObject({
      ok: true,
      value: { description: 'Use this when: a PDF has forms', warnings: [] },
    });
  });

  it.each([
    ['a folded block', 'description: >-\n  Fills forms\n  in PDFs.', 'Fills forms in PDFs.'],
    ['a literal block', 'description: |\n  Fills forms\n  in PDFs.', 'Fills forms in PDFs.'],
    ['lines that go on', 'description: Fills forms\n  in PDFs.', 'Fills forms in PDFs.'],
    ['double quotes', 'description: "Fills: \\"forms\\" # in PDFs"', 'Fills: "forms" # in PDFs'],
    ['single quotes', "description: 'It''s for forms'", "It's for forms"],
    ['a comment', 'description: Fills forms # for now', 'Fills forms'],
    ['Windows line ends', 'description: Fills forms\r', 'Fills forms'],
  ])('reads a description with %s', (_what, head, description) => {
    expect(skill(`name: a-skill\n${head}\nlicense: MIT`)).toMatchObject({ ok: true, value: { description } });
  });

  it.each([
    ['without a description', 'name: a-skill'],
    ['with an empty one', 'name: a-skill\ndescription: ""'],
  ])('does not load a file %s, and says why', (_what, head) => {
    expect(skill(head)).toMatchObject({ ok: false, why: expect.stringContaining('It has no "description"') });
  });

  it.each([
    ['no text', '---\nname: a\ndescription: b\n---\n', 'no text'],
    ['no fields', 'Only words.', 'does not begin'],
    ['no second line of dashes', '---\nname: a', 'no second line'],
  ])('refuses a file with %s', (_what, file, why) => {
    expect(parseSkill('a-skill', file)).toMatchObject({ ok: false, why: expect.stringContaining(why) });
  });

  it('reads allowed tools as a list or as words, and a name that differs as a warning', () => {
    for (const tools of ['Read Bash(git add:*)', 'Read, Bash(git add:*)', '\n  - Read\n  - Bash(git add:*)'])
      expect(skill(`name: other\ndescription: x\nallowed-tools: ${tools}`)).toMatchObject({
        ok: true,
        value: { name: 'a-skill', allowedTools: ['Read', 'Bash(git add:*)'], warnings: [expect.any(String)] },
      });
  });

  it('is read at once, however many brackets its tools have', () => {
    const started = performance.now();
    expect(skill(`description: x\nallowed-tools: ${'a('.repeat(50_000)}`)).toMatchObject({ ok: true });
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('takes metadata with fields of its own, and no name that leads elsewhere', () => {
    expect(skill('description: x\nmetadata:\n  version: "1"\n  author: me')).toMatchObject({ ok: true });
    for (const name of ['..', 'a/b', 'A', 'a--b', '-a', '', 'x'.repeat(65)]) expect(isSkillName(name)).toBe(false);
  });
});
