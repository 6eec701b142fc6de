import { expectReplay } from '../../../fakes/replay-kit.ts';
import { expect, it } from 'vitest';
import { createAgentKit, turnOptions } from '../../../fakes/agent-kit.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

it('the first prompt names the packages of the project that are installed', async () => {
  const sandbox = createMemorySandbox({ files: { 'a.py': 'x = 1\n' } });
  const notes = ['Python packages of this project are installed (pip), to be read only.'];
  const told = { ...sandbox, description: { ...sandbox.description, notes } };
  const kit = createAgentKit({ replies: [{ text: 'Done.' }], dependencies: { sandbox: told } });
  await kit.runner.send('What is this project?', turnOptions);
  expect(JSON.stringify(kit.requests[0]?.messages)).toContain(notes[0]);
});

it('the first prompt names files by their folder up to a size, and the environment with the date of the log', async () => {
  const paths = Array.from({ length: 400 }, (_, index) => `src/long/folder/name/module_${index}.py`);
  const files = Object.fromEntries(['main.py', ...paths].map((path) => [path, 'x = 1\n']));
  const readEnvironment = async () => 'Environment: a machine.';
  const kit = createAgentKit({
    replies: [{ text: 'Done.' }],
    sandbox: { files },
    dependencies: { project: { readEnvironment } },
  });
  await kit.runner.send('What is this project?', turnOptions);
  const prompt = JSON.stringify(kit.requests[0]?.messages);
  expect(prompt).toContain('Source: main.py; src/long/folder/name/: module_0.py, ');
  expect(prompt.match(/src\/long\/folder/gu)).toHaveLength(1);
  expect(prompt).toMatch(/ … and \d+ more/u);
  expect(prompt).toMatch(/Environment: a machine\. Date: \d{4}-\d\d-\d\d\./u);
  await expectReplay(kit);
});
