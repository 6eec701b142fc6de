import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../../src/main/sessions/log/redactor.ts';

const pem = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEow'.repeat(40)}\n-----END RSA PRIVATE KEY-----`;
// Put together here so that no scanner takes this file for a leak.
const secrets: readonly (readonly [string, string])[] = [
  ['openai-key', ['sk', 'proj', 'abcDEF123456_7890-abcdefGHIJ'].join('-')],
  ['anthropic-key', ['sk', 'ant', 'api03', 'abcdefghijklmnop'].join('-')],
  ['github-token', `ghp_${'a1B2'.repeat(9)}`],
  ['github-token', `github_pat_${'a1B2'.repeat(9)}`],
  ['aws-key', `AKIA${'ABCD'.repeat(4)}`],
  ['google-key', `AIza${'abcde'.repeat(7)}`],
  ['slack-token', `xoxb-${'1234567890-'.repeat(2)}`],
  ['json-web-token', `eyJ${'hbGciOi'.repeat(3)}.eyJ${'zdWIiOi'.repeat(3)}.${'x_y-z1'.repeat(5)}`],
  ['private-key', pem],
];

describe('the redactor', () => {
  it.each(secrets)('removes a %s', (kind, secret) => {
    expect(createRedactor().text(`before ${secret} after`)).toBe(`before [redacted:${kind}] after`);
  });

  it('removes a bearer token and leaves the word', () => {
    expect(createRedactor().text('Authorization: Bearer abcdefghij1234567890xyz')).toBe(
      'Authorization: Bearer [redacted:bearer-token]',
    );
  });

  it('leaves ordinary text alone', () => {
    const plain =
      'task-list risk-averse-investors-of-the-world sk-learn ghp_ AKIA bearer of good news, sha 4f3c2b1a0f4f3c2b1a0f4f3c2b1a0f4f3c2b1a0f';
    expect(createRedactor().text(plain)).toBe(plain);
  });

  it('removes given values, the longest first, but none that is very short', () => {
    const redactor = createRedactor([
      { kind: 'short', value: 'the' },
      { kind: 'one', value: 'swordfish' },
      { kind: 'two', value: 'swordfish-and-more' },
    ]);
    expect(redactor.text('the swordfish-and-more, the swordfish')).toBe('the [redacted:two], the [redacted:one]');
  });

  it('keeps JSON valid, also with an escaped value', () => {
    const redactor = createRedactor([{ kind: 'pass', value: 'p"a\\ss\nword' }]);
    const json = JSON.stringify({ text: `x\n${secrets[0]?.[1]}`, pass: 'p"a\\ss\nword', pem });
    expect(JSON.parse(redactor.text(json))).toEqual({
      text: 'x\n[redacted:openai-key]',
      pass: '[redacted:pass]',
      pem: '[redacted:private-key]',
    });
  });

  it('changes nothing the second time', () => {
    const redactor = createRedactor();
    const value = { clean: { deep: ['x'] }, dirty: `a ${secrets[2]?.[1]}`, none: undefined };
    const once = redactor.json(value);
    expect(once).toStrictEqual({ clean: { deep: ['x'] }, dirty: 'a [redacted:github-token]' });
    expect(once.clean).toBe(value.clean);
    expect(redactor.json(once)).toBe(once);
  });

  it('survives a value that is nested too deep', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(JSON.stringify(createRedactor().json({ deep })).length).toBeLessThan(1000);
  });

  it('removes a secret that is split between chunks, at every cut', () => {
    const text = `line one\nkey ${secrets[2]?.[1]} here\n${pem}\nlast line without an end`;
    const clean = 'line one\nkey [redacted:github-token] here\n[redacted:private-key]\nlast line without an end';
    for (let cut = 0; cut <= text.length; cut += 1) {
      const stream = createRedactor().stream();
      const parts = [
        stream.write(Buffer.from(text.slice(0, cut))),
        stream.write(Buffer.from(text.slice(cut))),
        stream.end(),
      ];
      expect(Buffer.concat(parts).toString()).toBe(clean);
    }
  });

  it.each([
    ['without blanks', (before: number) => 'ab1/'.repeat(before / 4)],
    ['with blanks', (before: number) => 'ab1 '.repeat(before / 4)],
  ])('removes a secret in one long line %s, wherever it lies', (_name, fill) => {
    const all = [...secrets.map(([, secret]) => secret), 'Bearer abcdefghij1234567890xyz'];
    for (const secret of all) {
      for (const before of [38_800, 39_900, 40_000, 46_000, 57_200]) {
        const text = `${fill(before)}"${secret}"${fill(60_000)}`;
        const stream = createRedactor().stream();
        const parts: Uint8Array[] = [];
        for (let at = 0; at < text.length; at += 8_192)
          parts.push(stream.write(Buffer.from(text.slice(at, at + 8_192))));
        parts.push(stream.end());
        expect(Buffer.concat(parts).toString() === createRedactor().text(text), secret.slice(0, 12)).toBe(true);
      }
    }
  });

  it('returns bytes that are no text unchanged, and holds back only a few', () => {
    const bytes = Buffer.from(Array.from({ length: 500_000 }, (_, index) => (index * 7919) & 0xff));
    const stream = createRedactor().stream();
    const parts = [];
    let held = 0;
    for (let at = 0; at < bytes.length; at += 10_000) {
      const part = stream.write(bytes.subarray(at, at + 10_000));
      parts.push(part);
      held = Math.max(held, at + 10_000 - parts.reduce((sum, one) => sum + one.length, 0));
    }
    parts.push(stream.end());
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    expect(held).toBeLessThan(64 * 1024);
  });
});
