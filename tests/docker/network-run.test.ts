import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standInInternet, type StandInInternet } from '../fakes/stand-in-internet.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { isWithoutEngine, none, startSandbox, type DockerUnderTest } from './docker-kit.ts';

describe.skipIf(isWithoutEngine)('a command with a network', () => {
  let under: DockerUnderTest;
  let internet: StandInInternet;
  beforeAll(async () => {
    internet = await standInInternet({
      names: { 'files.example.org': [['203.0.113.7']], 'other.example.org': [['203.0.113.8']] },
    });
    under = await startSandbox({ outward: internet.outward });
    await under.put('ca.pem', internet.certificate);
  });
  afterAll(async () => {
    await under.close();
    await internet.close();
  });

  it('reaches the host that was let through, over TLS and plain', async () => {
    const result = valueOf(
      await under.sandbox.runWithNetwork(
        {
          command: `python3 - <<'END'
import ssl, urllib.request
trust = ssl.create_default_context(cafile='ca.pem')
print(urllib.request.urlopen('https://files.example.org/a', context=trust).read().decode().strip())
print(urllib.request.urlopen('http://files.example.org/b').read().decode().strip())
END
echo done > made.txt`,
          hosts: ['files.example.org'],
          timeoutMs: 30_000,
        },
        none,
      ),
    );
    expect(result.stderr).toBe('');
    expect(result.stdout).toBe('GET /a\nGET /b\n');
    expect(await under.text('made.txt')).toBe('done\n');
    expect(result.decisions.map(({ host, port, reason, address }) => ({ host, port, reason, address }))).toEqual([
      { host: 'files.example.org', port: 443, reason: 'listed', address: '203.0.113.7' },
      { host: 'files.example.org', port: 80, reason: 'listed', address: '203.0.113.7' },
    ]);
  });
});
