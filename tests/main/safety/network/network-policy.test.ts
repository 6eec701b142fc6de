import { describe, expect, it } from 'vitest';
import { networkRulesSchema } from '../../../../src/shared/safety/network-access.ts';
import { decideNetwork, type NetworkRequest } from '../../../../src/main/safety/network/network-policy.ts';

const clean = { private: false, untrusted: false, origin: null, outward: false };
const cloned = { ...clean, private: true, origin: 'https://example.org/x.git' };
const base: NetworkRequest = {
  hosts: ['a.example.org'],
  rules: networkRulesSchema.parse({}),
  projectPath: '/p',
  granted: new Set(),
  run: 'ask',
  approve: 'ask',
  exposure: clean,
  refusals: 0,
};
const rules = (text: object): NetworkRequest['rules'] => networkRulesSchema.parse(text);
const inProject = (own: object): NetworkRequest['rules'] => rules({ projects: { '/p': own } });

describe('the network of a command', () => {
  it.each<[string, Partial<NetworkRequest>, 'allow' | 'deny' | 'ask']>([
    ['is asked for when nothing was said', {}, 'ask'],
    [
      'is denied by --network off, whatever rules allow',
      { run: 'off', rules: rules({ allow: ['a.example.org'] }) },
      'deny',
    ],
    ['is allowed by hosts given with the run', { run: ['a.example.org', 'b.example.org'] }, 'allow'],
    ['is asked for when a host is not among those of the run', { run: ['b.example.org'] }, 'ask'],
    [
      'is denied by a rule, also for a host of the run',
      { run: ['a.example.org'], rules: rules({ deny: ['a.example.org'] }) },
      'deny',
    ],
    [
      'is denied by a rule of the project over a general yes',
      { rules: rules({ allow: ['a.example.org'], projects: { '/p': { deny: ['a.example.org'] } } }) },
      'deny',
    ],
    [
      'is asked for by a rule over a yes of the session',
      { granted: new Set(['a.example.org']), rules: inProject({ ask: ['a.example.org'] }) },
      'ask',
    ],
    ['is allowed by a rule of the project', { rules: inProject({ allow: ['a.example.org'] }) }, 'allow'],
    [
      'knows no rule of another project',
      { projectPath: '/other', rules: inProject({ allow: ['a.example.org'] }) },
      'ask',
    ],
    ['takes no rule from a name that every object has', { projectPath: 'constructor' }, 'ask'],
    ['is allowed by a yes for the session', { granted: new Set(['a.example.org']) }, 'allow'],
    [
      'needs a yes for every host',
      { hosts: ['a.example.org', 'b.example.org'], granted: new Set(['a.example.org']) },
      'ask',
    ],
    [
      'is allowed while nothing came from outside',
      { granted: new Set(['a.example.org']), exposure: { ...clean, private: true } },
      'allow',
    ],
    [
      'is asked for again when text from outside met private content',
      { granted: new Set(['a.example.org']), exposure: { ...clean, private: true, untrusted: true } },
      'ask',
    ],
    [
      'is asked for then in spite of a rule, too',
      {
        rules: inProject({ allow: ['a.example.org'] }),
        exposure: { ...clean, private: true, untrusted: true, outward: true },
      },
      'ask',
    ],
    [
      'is asked for again when a model has read a project that others wrote',
      { granted: new Set(['a.example.org']), exposure: cloned },
      'ask',
    ],
    [
      'is allowed then where the person trusts what stands in it',
      { rules: rules({ allow: ['a.example.org'], trusted: ['/p'] }), exposure: cloned },
      'allow',
    ],
    [
      'is allowed before a model has read anything of it',
      { granted: new Set(['a.example.org']), exposure: { ...cloned, private: false } },
      'allow',
    ],
    ['is not asked for a fourth time', { refusals: 3 }, 'deny'],
    ['is denied by --approve deny', { approve: 'deny', granted: new Set(['a.example.org']) }, 'deny'],
    ['is denied by --approve allow without hosts of the run', { approve: 'allow' }, 'deny'],
    [
      'is allowed by --approve allow within the hosts of the run',
      { approve: 'allow', run: ['a.example.org'] },
      'allow',
    ],
    [
      'is denied by --approve allow where it would be asked for again',
      { approve: 'allow', granted: new Set(['a.example.org']), exposure: { ...clean, private: true, untrusted: true } },
      'deny',
    ],
  ])('%s', (_what, change, answer) => {
    expect(decideNetwork({ ...base, ...change }).answer).toBe(answer);
  });
});

describe('a yes to network access', () => {
  it('can be remembered only while no text from outside can have misled the model', () => {
    const isOnce = (exposure: NetworkRequest['exposure'], more: Partial<NetworkRequest> = {}): boolean =>
      decideNetwork({ ...base, exposure, ...more }).isOnce;
    expect(isOnce({ ...clean, private: true })).toBe(false);
    expect(isOnce({ ...clean, private: true, untrusted: true })).toBe(true);
    expect(isOnce(cloned)).toBe(true);
    expect(isOnce(cloned, { rules: rules({ trusted: ['/p'] }) })).toBe(false);
    expect(decideNetwork({ ...base, exposure: cloned }).reason).toMatch(
      /example\.org\/x\.git.*network\.trusted '\["\/p"\]'/,
    );
  });
});

describe('a network rule', () => {
  it.each(['*.example.org', '127.0.0.1', 'A.example.org', 'a.example.org.', 'localhost', 'a.example.org:443', ''])(
    'is refused when it names %j',
    (host) => {
      expect(networkRulesSchema.safeParse({ allow: [host] }).success).toBe(false);
    },
  );
});
