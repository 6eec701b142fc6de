import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hintAction } from '../../../../src/renderer/lib/input/hint-action.ts';

/** The commands whose hints need no button, each group with its reason. */
const terminalAlone: readonly string[] = [
  // Other ways to start Dewpoint.
  'serve',
  'chat',
  'run',
  // The contents of the container engine are seen and removed only in the terminal.
  'clean',
  // Evaluations run in the terminal alone.
  'eval',
  // Not checked, although the window has a view of tools.
  'tools',
  // Branches, drafts and reviews, and the lines of memory: the window has no place for them yet.
  'sessions commit',
  'sessions request',
  'memory',
  // The window has a place to go back to at each message.
  'sessions checkpoints',
  // The name of a format.
  'receipt 1',
];
const core = 'src/main';

/** Every terminal command that a text of the core names, with its whole line. */
function commandsNamed(): readonly { readonly command: string; readonly text: string }[] {
  const files = globSync('**/*.ts', { cwd: core }).filter(
    (path) => !/^hosts\/(?:cli|connection)\//u.test(path.replaceAll('\\', '/')),
  );
  return files.flatMap((path) =>
    readFileSync(join(core, path), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\/\/|\/?\*)/u.test(line))
      .flatMap((text) =>
        [...text.matchAll(/(?<!@)\bdewpoint ([a-z]+)/gu)].map(([, command = '']) => ({ command, text })),
      ),
  );
}

describe('a hint that names a terminal command', () => {
  /** Catches: a new hint in the window without a button for it. */
  it('becomes a button wherever the window has a place for it', () => {
    const named = commandsNamed();
    expect(named.length).toBeGreaterThan(50);
    const elsewhere = /On the machine,|dewpoint serve --/u;
    const without = named.filter(
      ({ text }) =>
        !elsewhere.test(text) &&
        !terminalAlone.some((start) => text.includes(`dewpoint ${start}`)) &&
        hintAction(asRead(text)) === null,
    );
    expect(without).toEqual([]);
  });

  it('has no button for what the browser may not do', () => {
    expect(hintAction('On the machine, run: dewpoint keys set PROVIDER.')).toBeNull();
    expect(hintAction('Start with dewpoint serve --allow terminal, or use the app.')).toBeNull();
    expect(hintAction('Make room and go on.')).toBeNull();
  });

  it('can download the named model, or open the named session', () => {
    expect(hintAction('Get it with `dewpoint models pull llama-cpp/a-1.5b`, or name another one.')).toEqual({
      type: 'pull',
      model: 'llama-cpp/a-1.5b',
    });
    expect(hintAction('Run `dewpoint sessions show 01ABC` to see what happened.')).toMatchObject({
      view: { sessionId: '01ABC' },
    });
    expect(hintAction('fetch it by a name of a hub: dewpoint models pull hf:OWNER/REPO')).toMatchObject({
      view: { type: 'models' },
    });
  });
});

/** Replaces each placeholder of a template by a sample value. */
function asRead(text: string): string {
  return text.replaceAll(/\$\{[^}]*\}/gu, 'a1');
}
