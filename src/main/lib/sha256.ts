import { createHash } from 'node:crypto';

/** Of a text (as UTF-8) or of bytes, in hexadecimal digits. Files that may be large: `models/files/hash-model-files.ts`. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
