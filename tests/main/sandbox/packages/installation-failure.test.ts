import { describe, expect, it } from 'vitest';
import { installationFailure } from '../../../../src/main/sandbox/packages/installation-failure.ts';
import type { NetworkResult } from '../../../../src/main/sandbox/sandbox.ts';

const result = (more: Partial<NetworkResult>): NetworkResult => ({
  outcome: 'exited',
  exitCode: 1,
  stdout: '',
  stderr: '',
  stdoutBytes: 0,
  stderrBytes: 0,
  durationMs: 1,
  decisions: [],
  ...more,
});
const said = (more: Partial<NetworkResult>, secrets: readonly string[] = []): string =>
  installationFailure(result(more), { limitMs: 20 * 60_000, secrets });

describe('the reason why packages were not installed', () => {
  it.each([
    [
      'a full disk',
      'cp: error writing: No space left on device',
      /disk of the container engine is full.*dewpoint clean/,
    ],
    [
      'a toolchain that is missing',
      'bash: line 1: bundle: command not found',
      /lacks the project's toolchain.*image use/,
    ],
    ['a registry that refuses', 'status code: 403, reason phrase: Forbidden (403)', /The registry refused access/],
    ['a version of Maven that is missing', 'Could not find artifact a:b:jar:9 in central', /does not have a version/],
    ['a version of Bundler that is missing', "Could not find gem 'rake (= 99)' in rubygems", /does not have a version/],
    [
      'a version of Composer that is missing',
      'found psr/log[1.0] but it does not match your constraint',
      /does not have a version/,
    ],
  ])('says what %s means before the printed text', (_name, printed, expected) => {
    const text = said({ stderr: printed });
    expect(text).toMatch(expected);
    expect(text.endsWith(printed)).toBe(true);
  });

  it('says that a host cannot be reached instead of guessing from the printed text', () => {
    const decisions = [
      {
        host: 'maven.example.org',
        port: 443,
        isAllowed: false,
        reason: 'unreachable' as const,
        address: null,
        sentBytes: 0,
        receivedBytes: 0,
      },
    ];
    const text = said({ stderr: 'Could not find artifact a:b', decisions });
    expect(text).toContain('This machine cannot reach maven.example.org');
    expect(text).not.toContain('does not have a version');
  });

  it('shows no password and no secret, and only the end of a long text', () => {
    const text = said({ stderr: `${'x'.repeat(5_000)} https://me:pass@a.example.org/ token-1` }, ['token-1']);
    expect(text).toContain('https://***@a.example.org/ ***');
    expect(text.length).toBeLessThan(1_700);
  });

  it('says which limit of the sandbox ended the command', () => {
    const killed = { outcome: 'killed', exitCode: null } as const;
    expect(said({ ...killed, killedFor: 'disk' })).toContain(
      'it was killed. The disk of the container engine is full.',
    );
    expect(said({ ...killed, killedFor: 'memory' })).toContain('It needed more memory than the sandbox has.');
  });

  it('says which limit of time ended the command', () => {
    expect(said({ outcome: 'timed-out', exitCode: null })).toBe('it took longer than 20 minutes.');
  });
});
