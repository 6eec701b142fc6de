import { describe, expect, it } from 'vitest';
import { isOtherWriter, writerLine, writerText } from '../../../src/shared/tools/program-writer.ts';

const writer = { model: 'ollama/coder', digest: `sha256:${'ab'.repeat(32)}`, app: '1.0.0' };

describe('what wrote a program', () => {
  it('is the model, the digest of its files and the version of Dewpoint', () => {
    expect(writerLine(writer, writer)).toBe('Written by ollama/coder (digest abababababab), Dewpoint 1.0.0.');
    expect(writerText({ model: 'anthropic/large', digest: null, app: '1.0.0' })).toBe(
      'anthropic/large, Dewpoint 1.0.0',
    );
    expect(writerText({ ...writer, model: null, digest: null })).toBe('an unknown model, Dewpoint 1.0.0');
  });

  // Catches: an older program that is taken as reviewed again.
  it('is shown beside what runs today where the version, the model or its files differ', () => {
    expect(writerLine(writer, { ...writer, app: '1.1.0' })).toBe(
      'Written by ollama/coder (digest abababababab), Dewpoint 1.0.0. Today: ollama/coder (digest abababababab), Dewpoint 1.1.0. It was not reviewed again since.',
    );
    expect(isOtherWriter(writer, { ...writer, digest: 'cd'.repeat(32) })).toBe(true);
    expect(isOtherWriter(writer, { ...writer, digest: null })).toBe(true);
    expect(isOtherWriter(writer, { ...writer, model: 'anthropic/large', digest: null })).toBe(true);
  });

  it('is the same where the same files have another name', () => {
    expect(isOtherWriter(writer, { ...writer, model: 'ollama/coder:latest' })).toBe(false);
  });

  it('is unknown for a program without a tag, which counts as another writer', () => {
    expect(writerText(null)).toBe('unknown');
    expect(writerLine(null, writer)).toBe('Which model and version of Dewpoint wrote it is unknown.');
    expect(isOtherWriter(null, writer)).toBe(true);
  });

  it('shows a name that looks like another one with its marks', () => {
    expect(writerText({ ...writer, model: 'ollama/co\u202Eder' })).not.toContain('\u202E');
  });
});
