import { homedir } from 'node:os';
import { expect, it } from 'vitest';
import { doctorBundle } from '../../../src/main/cli/doctor-bundle.ts';

it('holds no secret that stands in the settings, no name of a project and not whose home it is', () => {
  const text = JSON.stringify(
    doctorBundle({
      version: '1.2.3',
      madeAt: 0,
      findings: [{ area: 'home', status: 'ok', text: `${homedir()}/state, 9 GB free`, hint: null }],
      settings: {
        connection: { proxy: 'http://adalovelace:s3cret@proxy.example:8080' },
        sandbox: { pids: 512, projects: { '/work/acme': { env: { TOKEN: 's3cret' } } } },
        providers: { own: { kind: 'openai-compatible', headers: { authorization: 's3cret' } } },
      },
      models: [],
      sessions: [
        {
          sessionId: 's',
          title: 'acme',
          projectPath: '/work/acme',
          createdAt: 1,
          updatedAt: 2,
          steps: 3,
          costUsd: 0,
          status: 'idle',
          lastReason: 'acme',
        },
      ],
    }),
  );
  expect(text).not.toMatch(/s3cret|acme|adalovelace/u);
  expect(text).not.toContain(homedir());
  expect(text).toContain('"pids":512');
  expect(text).toContain('~/state');
  expect(text).toContain('http://…@proxy.example:8080');
});
