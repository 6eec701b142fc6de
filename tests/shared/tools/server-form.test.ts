import { describe, expect, it } from 'vitest';
import { presetValues } from '../../../src/shared/tools/preset-values.ts';
import { formProblem, readServerForm } from '../../../src/shared/tools/server-form.ts';

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string', title: 'Title', minLength: 3, maxLength: 10 },
    mail: { type: 'string', format: 'email' },
    when: { type: 'string', format: 'date', default: '2026-11-25' },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
    share: { type: 'number' },
    urgent: { type: 'boolean', default: true },
    kind: { type: 'string', enum: ['a', 'b'], enumNames: ['First', 'Second'] },
    level: { type: 'string', oneOf: [{ const: 'low', title: 'Low' }] },
    tags: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }, { const: 'y' }] }, maxItems: 1 },
  },
  required: ['title'],
};

function formOf(value: unknown) {
  const read = readServerForm(value);
  if (read.type === 'unfit') throw new Error(read.why);
  return read.form;
}

describe('a form of a server', () => {
  it('has every kind of field, with its default', () => {
    const form = formOf(schema);
    expect(form.map(({ name, type }) => [name, type])).toEqual([
      ['title', 'text'],
      ['mail', 'text'],
      ['when', 'text'],
      ['count', 'number'],
      ['share', 'number'],
      ['urgent', 'yes-no'],
      ['kind', 'one-of'],
      ['level', 'one-of'],
      ['tags', 'some-of'],
    ]);
    expect(presetValues(form)).toEqual({ when: '2026-11-25', count: 2, urgent: true });
  });

  // Catches: an answer that is sent to the server although it does not fit the form.
  it.each([
    [{}, 'Title needs a value.'],
    [{ title: '' }, 'Title needs a value.'],
    [{ title: 'ab' }, 'Title needs at least 3 characters.'],
    [{ title: 'much too long' }, 'Title may have at most 10 characters.'],
    [{ title: 'fits', mail: 'nobody' }, 'mail is not an email address.'],
    [{ title: 'fits', when: 'tomorrow' }, 'when is not a date, such as 2026-11-25.'],
    [{ title: 'fits', count: 1.5 }, 'count is not a whole number.'],
    [{ title: 'fits', count: 10 }, 'count may have at most 9.'],
    [{ title: 'fits', share: 'half' }, 'share is not a number.'],
    [{ title: 'fits', urgent: 'yes' }, 'urgent is neither yes nor no.'],
    [{ title: 'fits', kind: 'c' }, 'kind is none of the choices.'],
    [{ title: 'fits', tags: ['x', 'y'] }, 'tags may have at most 1 choices.'],
    [{ title: 'fits', other: 'x' }, 'There is no field other.'],
    [{ title: 'fits', kind: 'b', tags: ['y'], share: 0.5 }, null],
  ])('filled with %j has the problem: %s', (values, problem) => {
    expect(formProblem(formOf(schema), values)).toBe(problem);
  });

  // Catches: a server's form that asks for what no server may get, or a form that is shown only in part.
  it.each([
    [{ properties: { password: { type: 'string' } } }, 'password or a key'],
    [{ properties: { apiKey: { type: 'string' } } }, 'password or a key'],
    [{ properties: { x: { type: 'string', title: 'Your access token' } } }, 'password or a key'],
    [{ properties: { x: { type: 'string', format: 'password' } } }, 'password or a key'],
    [{ properties: { x: { type: 'object' } } }, 'kind that is not known'],
    [{ properties: { x: { type: 'array', items: { type: 'string' } } } }, 'kind that is not known'],
    [{ properties: Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}`, { type: 'string' }])) }, 'long'],
    ['nothing', 'no fields'],
  ])('made of %j is not shown', (value, why) => {
    expect(readServerForm(value)).toMatchObject({ type: 'unfit', why: expect.stringContaining(why) });
  });

  it('may ask for a number of tokens', () => {
    expect(readServerForm({ properties: { maxTokens: { type: 'integer' } } })).toMatchObject({ type: 'form' });
  });
});
