import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { Receipt } from '@shared/safety/receipt.ts';
import type { SignedReceipt } from '@shared/contract/receipts-contract.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { HomeKeys } from '../keys/home-keys.ts';

/** What the key store calls the key that signs receipts. */
const keyName = 'receipts.signing';

/**
 * A receipt as a file of two lines: what it says, and a signature over exactly the bytes of the first line. The key is
 * made at the first signature and lies in the system's key store alone. Rejects if the store does not open: a key that
 * cannot be read now is not replaced.
 */
export async function signReceipt(
  receipt: Receipt,
  keys: Pick<HomeKeys['own'], 'read' | 'set'>,
): Promise<SignedReceipt> {
  const key = await signingKey(keys);
  const said = JSON.stringify(receipt);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const fingerprint = sha256Of(publicKey);
  const signature = sign(null, Buffer.from(said), key).toString('base64');
  const proof = { algorithm: 'ed25519', publicKey: publicKey.toString('base64'), fingerprint, signature };
  return { text: `${said}\n${JSON.stringify(proof)}\n`, fingerprint };
}

async function signingKey(keys: Pick<HomeKeys['own'], 'read' | 'set'>): Promise<KeyObject> {
  const stored = await keys.read(keyName);
  if (stored !== null) return createPrivateKey({ key: Buffer.from(stored, 'base64'), format: 'der', type: 'pkcs8' });
  const { privateKey } = generateKeyPairSync('ed25519');
  await keys.set(keyName, privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'));
  return privateKey;
}
