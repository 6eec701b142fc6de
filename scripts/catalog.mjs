// For maintainers: makes the pair of keys that signs catalogs, and signs a catalog for publishing.
//   node scripts/catalog.mjs key PRIVATE.pem              makes a pair, writes its private half, prints the public one
//   node scripts/catalog.mjs sign PRIVATE.pem REVISION    prints resources/catalog.json, signed
// The printed key goes into src/main/models/suggest/catalog-updates.ts. Keep the private half out of every repository
// and off every machine that builds: whoever has it can recommend any file to every user.
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** JSON with the keys of every object sorted. These are the bytes that are signed. */
function canonicalJson(value) {
  return JSON.stringify(value, (_key, item) =>
    typeof item !== 'object' || item === null || Array.isArray(item)
      ? item
      : Object.fromEntries(Object.entries(item).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))),
  );
}

/** @returns {{privatePem: string, publicKey: string}} the private half as PEM, the public one in base64 */
export function makeKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privatePem: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  };
}

/**
 * @param {unknown} catalog
 * @param {number} revision higher than that of every catalog published before
 * @param {string} privatePem
 */
export function signCatalog(catalog, revision, privatePem) {
  const said = { format: 'dewpoint-catalog-1', revision, catalog };
  const signature = sign(null, Buffer.from(canonicalJson(said)), createPrivateKey(privatePem));
  return { ...said, signature: signature.toString('base64') };
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [what, file, revision] = process.argv.slice(2);
  if (what === 'key' && file !== undefined) {
    const { privatePem, publicKey } = makeKey();
    // Never overwrites an existing key: without it, no later catalog could be signed for programs that trust it.
    writeFileSync(file, privatePem, { mode: 0o600, flag: 'wx' });
    process.stdout.write(`${publicKey}\n`);
  } else if (what === 'sign' && file !== undefined && /^[1-9]\d*$/u.test(revision ?? '')) {
    const catalog = JSON.parse(readFileSync(new URL('../resources/catalog.json', import.meta.url), 'utf8'));
    const signed = signCatalog(catalog, Number(revision), readFileSync(file, 'utf8'));
    process.stdout.write(`${JSON.stringify(signed, null, 2)}\n`);
  } else {
    process.stderr.write('Usage: node scripts/catalog.mjs key PRIVATE.pem | sign PRIVATE.pem REVISION\n');
    process.exitCode = 1;
  }
}
