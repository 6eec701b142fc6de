import type { Reply } from '@shared/errors.ts';
import { failure, success } from '@shared/errors.ts';
import { utf8Text } from '../../lib/utf8-text.ts';
import { type HiddenValues, unknownText } from '../../safety/hidden-values.ts';

interface Sides {
  readonly path: string;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

/**
 * The bytes that a file may get: every placeholder is replaced by the value that the file held in its place, and no
 * placeholder is ever written. It is the one door for all writing: tools, recipes, and programs by their tools.
 */
export function restoreHidden(
  hidden: Pick<HiddenValues, 'restore'>,
  { path, before, after }: Sides,
): Reply<Uint8Array | null> {
  if (after === null) return success(null);
  const file = before ?? new Uint8Array();
  const wide = wideOf(latin1(after));
  if (wide !== null && hidden.restore(wide, wideOf(latin1(file)) ?? '').unknown !== null)
    return failure('bad-input', unknownText(path, 'A placeholder'));
  if (!/\[(?:redacted:|fenced)/.test(latin1(after))) return success(after);
  const [inUtf8, wasUtf8] = [utf8Text(after), utf8Text(file)];
  const isUtf8 = inUtf8 !== null && wasUtf8 !== null;
  // Otherwise one sign for each byte, so that a file in any encoding keeps its other bytes.
  const text = isUtf8 ? inUtf8 : latin1(after);
  const { text: restored, unknown } = hidden.restore(text, isUtf8 ? wasUtf8 : latin1(file));
  if (unknown !== null) return failure('bad-input', unknownText(path, unknown));
  return success(restored === text ? after : Buffer.from(restored, isUtf8 ? 'utf8' : 'latin1'));
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The text of a file with two bytes for each sign, if a placeholder may be in it. */
function wideOf(text: string): string | null {
  return text.includes('[\0r\0e\0d\0a\0c\0t\0e\0d\0') || text.includes('[\0f\0e\0n\0c\0e\0d\0')
    ? text.replaceAll('\0', '')
    : null;
}
