import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Catches: a second place that decides what a user is shown, and a write to a terminal that skips the last check. */
const src = resolve(import.meta.dirname, '../../src');

const filesOf = (folder: string): readonly (readonly [string, string])[] =>
  readdirSync(join(src, folder), { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((path) => /\.tsx?$/u.test(path))
    .map((path) => [`${folder}/${path.replaceAll('\\', '/')}`, readFileSync(join(src, folder, path), 'utf8')]);

const hosts = [...filesOf('main/hosts'), ...filesOf('renderer')];

describe('text shown to a person', () => {
  it('is cleaned in one file, and no other has a set of such characters', () => {
    const sets = /\\u202[A-E]|\\u200[B-F]|\\p\{(?:C|Cc|Cf|Z|Default_Ignorable_Code_Point)\}|\\u001B/iu;
    const others = hosts.filter(([, text]) => sets.test(text)).map(([path]) => path);
    expect(others).toEqual([
      // Measures the width of a text.
      'main/hosts/cli/terminal/open-prompt.ts',
      // Dewpoint's own colors and the position of the cursor.
      'main/hosts/text/terminal.ts',
    ]);
  });

  it('reaches a terminal in only one way', () => {
    const writers = hosts.filter(([, text]) => /process\.std(?:out|err)\b/u.test(text)).map(([path]) => path);
    expect(writers).toEqual([
      // JSON frames for an editor, which is not a terminal.
      'main/hosts/acp/serve-acp.ts',
      // Only listens for errors of the stream.
      'main/hosts/cli/main.ts',
      // The keyboard, and the prompt that repeats what is typed.
      'main/hosts/cli/questions/ask-user.ts',
      // Before there is a window.
      'main/hosts/desktop/start-desktop.ts',
      'main/hosts/text/terminal.ts',
    ]);
  });
});
