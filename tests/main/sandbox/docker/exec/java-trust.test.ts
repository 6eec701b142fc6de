import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const program = join(process.cwd(), 'resources', 'programs', 'sandbox', 'java-trust.py');

/** Any bytes will do: the program does not look into a certificate. */
const certificates = [Buffer.from('first certificate'), Buffer.from('second')];

async function storeOf(pem: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-java-'));
  try {
    await writeFile(join(folder, 'all.pem'), pem);
    await promisify(execFile)('python3', [program, join(folder, 'all.pem'), join(folder, 'all.jks')]);
    return await readFile(join(folder, 'all.jks'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('the key store for Java', () => {
  it('has every certificate of a PEM file, and the digest that Java checks', async () => {
    const pem = certificates
      .map(
        (der) =>
          `# a comment, also with ü\n-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`,
      )
      .join('');
    const store = await storeOf(pem);
    const body = store.subarray(0, -20);
    expect([body.readUInt32BE(0), body.readUInt32BE(4), body.readUInt32BE(8)]).toEqual([0xfeedfeed, 2, 2]);
    for (const der of certificates) expect(body.includes(der)).toBe(true);
    const password = Buffer.from('changeit', 'utf16le').swap16();
    const digest = createHash('sha1').update(password).update('Mighty Aphrodite').update(body).digest();
    expect(store.subarray(-20).equals(digest)).toBe(true);
  });

  it('is empty for a file without certificates', async () => {
    expect((await storeOf('nothing')).readUInt32BE(8)).toBe(0);
  });
});
