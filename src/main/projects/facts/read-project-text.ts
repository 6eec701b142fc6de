import type { SandboxFiles } from '../../sandbox/sandbox.ts';
import { fileText } from '../../lib/files/file-text.ts';
import { fieldOf } from '@shared/unknown-value.ts';

/** Null: the file is missing, unreadable, or too large to describe how a project is worked with. */
export async function readText(files: SandboxFiles, path: string, signal: AbortSignal): Promise<string | null> {
  const read = await files.read(path, { maxBytes: 512 * 1024 }, signal);
  return read.ok ? (fileText(read.value.bytes)?.text ?? null) : null;
}

/** A script of `package.json` by name; null: there is none with this name. */
export function scriptOf(text: string | null, name: string): string | null {
  if (text === null) return null;
  try {
    const parsed: unknown = JSON.parse(text);
    const script = fieldOf(fieldOf(parsed, 'scripts'), name);
    return typeof script === 'string' && script.trim() !== '' ? script.trim() : null;
  } catch {
    // A broken package.json has no scripts; whoever works on it will notice.
    return null;
  }
}
