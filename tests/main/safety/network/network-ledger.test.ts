import { expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/shared/events/events.ts';
import { createNetworkLedger, type SessionExposure } from '../../../../src/main/safety/network/network-ledger.ts';

const stamp = { v: 2, seq: 1, at: 0 } as const;
const created: SessionEvent = {
  ...stamp,
  type: 'session-created',
  logVersion: 4,
  sessionId: 's',
  title: '',
  appVersion: '0',
  projectPath: '/p',
  workspace: { mode: 'in-place', path: '/p' },
  parentId: null,
  groupId: null,
};
const sandbox = (cameFrom?: string): SessionEvent => ({
  ...stamp,
  type: 'sandbox-started',
  tier: 'container',
  image: null,
  description: '',
  limits: {},
  ...(cameFrom === undefined ? {} : { cameFrom }),
});
const began = (input: unknown): SessionEvent => ({
  ...stamp,
  type: 'tool-started',
  toolCallId: 't',
  tool: 'read_file',
  by: 'model',
  input,
  label: '',
});
const ended: SessionEvent = {
  ...stamp,
  type: 'tool-ended',
  toolCallId: 't',
  tool: 'read_file',
  status: 'ok',
  output: 'x',
  full: null,
  exitCode: null,
  durationMs: 1,
  data: null,
  dataBlob: null,
};

function bitsOf(...events: readonly SessionEvent[]): SessionExposure {
  const ledger = createNetworkLedger();
  for (const event of [created, ...events]) ledger.add(event);
  return ledger.exposure();
}

it('the record of a session still says that text from outside was read after the traces are gone', () => {
  const nothing = { private: false, untrusted: false, origin: null, outward: false };
  expect(bitsOf(sandbox('https://example.org'))).toEqual(nothing);
  const read = [began({ path: 'a.py' }), ended];
  expect(bitsOf(sandbox(), ...read)).toEqual({ ...nothing, private: true });
  const met = { ...nothing, private: true, origin: 'https://example.org' };
  expect(bitsOf(sandbox('https://example.org'), ...read)).toEqual(met);
  expect(bitsOf(sandbox('https://example.org'), sandbox(), ...read)).toEqual(met);
});

it.each([
  ['node_modules/p/README.md', true],
  ['web/node_modules', true],
  ['.venv/lib/python3/site-packages/p/x.py', true],
  ['src/vendor/x.go', true],
  ['my_node_modules.md', false],
  ['src/vendors.py', false],
])('a read of %s counts as text from outside: %s', (path, isUntrusted) => {
  expect(bitsOf(began({ path })).untrusted).toBe(isUntrusted);
});

// Catches: a tool server's text in a message that passes for the user's own.
it.each([
  ['of a tool server', { source: { server: 'docs', uri: 'notes://a' } }, true],
  ['of the person', {}, false],
])('an attachment %s counts as text from outside: %j', (_whose, from, isUntrusted) => {
  const given = { kind: 'text', name: 'a', blob: { sha256: 'a', bytes: 1 }, ...from } as const;
  const said = { messageId: 'm', text: 'Read it.', queued: false } as const;
  expect(bitsOf({ ...stamp, type: 'user-message-added', ...said, attachments: [given] }).untrusted).toBe(isUntrusted);
});
