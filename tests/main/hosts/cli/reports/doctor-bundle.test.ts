import { homedir } from 'node:os';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { settingsSchema } from '../../../../../src/shared/settings/settings.ts';
import { doctorBundle, withoutAddressSecrets } from '../../../../../src/main/hosts/cli/reports/doctor-bundle.ts';
import { createRedactor } from '../../../../../src/main/sessions/log/redactor.ts';
import { unorganized } from '../../../../fakes/unorganized.ts';

it('the bundle of the doctor holds no secret of the settings, no project name and no home folder', () => {
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
      log: `first: ENOENT, open ${homedir()}/x\nsecond: EACCES, open /work/acme/plan.txt\n`,
      redactor: createRedactor(),
      sessions: [
        {
          sessionId: 's',
          title: 'acme',
          projectPath: '/work/acme',
          project: '/work/acme',
          createdAt: 1,
          updatedAt: 2,
          steps: 3,
          costUsd: 0,
          status: 'idle',
          lastReason: 'acme',
          ...unorganized,
          tags: ['acme'],
        },
      ],
    }),
  );
  expect(text).not.toMatch(/s3cret|acme|adalovelace/u);
  expect(text).not.toContain(homedir());
  expect(text).toContain('"pids":512');
  expect(text).toContain('~/state');
  expect(text).toContain('first: ENOENT, open ~/x');
  expect(text).toContain('open (project)/plan.txt');
  expect(text).toContain('http://…@proxy.example:8080');
});

/** Recognized as a key by its form. */
const shaped = 'sk-proj-Planted0123456789abcdef';
/** Known as a secret on this machine. It looks like any other word. */
const known = 'quietvalue';
/** Recognized as a secret only by its place. */
const bare = 'hunter2hunter2';
const address = `https://${bare}:${bare}@host.example:8443/v1/${bare}/chat?api-key=${bare}#${bare}`;

const jsonSchema = z.looseObject({
  type: z.string().optional(),
  format: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
});

/** Values with a planted key in every free text of a schema, one value for each way to write it. */
function planted(schema: unknown): readonly unknown[] {
  const given = jsonSchema.safeParse(schema);
  if (!given.success) return ['any'];
  const { type, format, properties, additionalProperties, items, anyOf, oneOf } = given.data;
  if (anyOf !== undefined || oneOf !== undefined) return [...(anyOf ?? []), ...(oneOf ?? [])].flatMap(planted);
  if (given.data.enum !== undefined || given.data.const !== undefined) return [];
  if (type === 'string') return [format === 'uri' ? address : `${shaped} ${known}`];
  if (type === 'array') return [planted(items)];
  if (type !== 'object') return [];
  const record = planted(additionalProperties ?? false).map((one, index) => [`${shaped}${index}`, one] as const);
  const fields = Object.entries(properties ?? {}).map(([name, one]) => [name, planted(one)] as const);
  const most = Math.max(1, ...fields.map(([, ways]) => ways.length));
  return Array.from({ length: most }, (_, index) =>
    Object.fromEntries([...record, ...fields.map(([name, ways]) => [name, ways[index] ?? ways[0] ?? null])]),
  );
}

it('the bundle of the doctor holds no key from a text of the settings, a finding or a model', () => {
  const schema = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' });
  const finding = { area: 'ollama', status: 'ok', text: `at ${address}, 3 models, ${shaped}`, hint: known } as const;
  for (const settings of planted(schema)) {
    expect(JSON.stringify(settings)).toContain(bare);
    const bundle = doctorBundle({
      version: '1.2.3',
      madeAt: 0,
      findings: [finding],
      settings,
      models: [],
      sessions: [],
      log: `at ${address}, ${shaped} ${known}\n`,
      redactor: createRedactor([{ kind: 'OWN_KEY', value: known }]),
    });
    const text = JSON.stringify(bundle);
    expect(text).not.toMatch(new RegExp(`${bare}|${shaped}|${known}`, 'u'));
    expect(text).toContain('https://…@host.example:8443/v1/…/chat?…#…, 3 models');
  }
});

it('the bundle of the doctor keeps the host of an address without its secrets', () => {
  const same = [
    'http://127.0.0.1:11434',
    'https://generativelanguage.googleapis.com/v1beta',
    'see https://example.org/docs.',
    'unix:///run/user/1000/podman.sock',
    'a://',
    'no address: at all',
  ];
  expect(same.slice(0, 4).map(withoutAddressSecrets)).toEqual(same.slice(0, 4));
  expect(same.slice(4).map(withoutAddressSecrets)).toEqual(['a://', 'no address: at all']);
  expect(withoutAddressSecrets('http://ada:p@ss/w0rd@proxy.example:8080 and http://[::bad')).toBe(
    'http://… and http://…',
  );
  expect(withoutAddressSecrets('wss://h.example/x?k=1), (http://u@h.example)')).toBe(
    'wss://h.example/x?…), (http://…@h.example)',
  );
});
