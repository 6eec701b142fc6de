import { expect, it } from 'vitest';
import { createAgentKit, turnOptions } from '../../../fakes/agent-kit.ts';
import { createMemorySandbox } from '../../../../src/main/sandbox/memory/memory-sandbox.ts';

it('tells the model what of the project is not installed, and why', async () => {
  const sandbox = createMemorySandbox({ files: { 'a.py': 'x = 1\n' } });
  const notes = ['Python packages of this project could not be installed: no such version'];
  const told = { ...sandbox, description: { ...sandbox.description, notes } };
  const kit = createAgentKit({ replies: [{ text: 'Done.' }], dependencies: { sandbox: told } });
  await kit.runner.send('What is this project?', turnOptions);
  expect(JSON.stringify(kit.requests[0]?.messages)).toContain(notes[0]);
});
