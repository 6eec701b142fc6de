import { describe, expect, it } from 'vitest';
import { call, createAgentKit, ofType, turnOptions } from '../fakes/agent-kit.ts';
import { isWithoutEngine, startSandbox } from './docker-kit.ts';

/** A linter that reports every `debugger` and fixes the sources itself, as `eslint --fix` does where it can. */
const linter = `import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
let count = 0;
for (const name of readdirSync('src')) {
  const path = 'src/' + name;
  readFileSync(path, 'utf8').split('\\n').forEach((text, index) => {
    if (!text.includes('debugger')) return;
    count += 1;
    console.log(process.cwd() + '/' + path + ':' + (index + 1) + ':1: no debugger');
  });
  writeFileSync(path, '');
}
process.exit(count === 0 ? 0 : 1);
`;

describe.skipIf(isWithoutEngine)('the lint of a project in a container', () => {
  it('tells new findings from old ones in a copy, and leaves the workspace alone', async () => {
    const under = await startSandbox();
    try {
      await under.put('package.json', '{"type": "module", "scripts": {"lint": "node lint.mjs"}}');
      await under.put('lint.mjs', linter);
      await under.put('src/old.js', 'debugger;\n');
      await under.put('src/a.js', 'export const a = 1;\n');
      const kit = createAgentKit({
        replies: [
          call('write_file', { path: "src/it's new.js", content: '\ndebugger;\n' }),
          call('task_complete', { summary: 'Written.' }),
          call('write_file', { path: "src/it's new.js", content: 'export {};\n' }),
          call('task_complete', { summary: 'Put right.' }),
        ],
        dependencies: { sandbox: under.sandbox },
      });
      expect((await kit.runner.send('Add a new file.', turnOptions)).reason).toBe('done');
      const looks = ofType(kit.journal.events, 'gate-checked').map(({ by, findings }) => [by, findings]);
      const path = "src/it's new.js";
      expect(looks).toEqual([['lint', [{ code: 'lint', path, text: `${path}:2: no debugger` }]]]);
      expect([await under.text('src/old.js'), await under.text(path)]).toEqual(['debugger;\n', 'export {};\n']);
      const left = await under.sandbox.exec(
        { command: 'ls /scratch', timeoutMs: 60_000 },
        new AbortController().signal,
      );
      expect(left.ok && left.value.stdout).toBe('');
    } finally {
      await under.close();
    }
  });
});
