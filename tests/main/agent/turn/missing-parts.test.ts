import { expect, test } from 'vitest';
import { missingSandbox } from '../../../../src/main/agent/turn/missing-parts.ts';

const place = { tier: 'read-only', workspacePath: '/w', scratchPath: null } as const;

// Bug: whoever chose the read-only tier was told to install Docker.
test('the message about a missing sandbox tells a person who chose read-only to install nothing', () => {
  const { text, failure } = missingSandbox({ sandbox: place });
  expect(`${text} ${failure?.hint}`).toMatch(/^You chose read-only for this session/);
  expect(`${text} ${failure?.hint}`).not.toMatch(/Docker|Podman|install/i);
});

test('the message about a missing sandbox gives the reason why the engine is missing', () => {
  const missing = { message: 'No engine was found.', hint: 'Install one.' };
  expect(missingSandbox({ sandbox: { ...place, missing } })).toMatchObject({
    text: expect.stringContaining('No engine was found.'),
    failure: { hint: 'Install one.' },
  });
});
