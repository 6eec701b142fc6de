import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { CallMode, HostFolder } from '../../../lib/files/host-folder.ts';
import { keyOf } from './folder-names.ts';
import { kindOf, type EntryKind } from '../../files/entry-kind.ts';

/** The contents of a folder, by names in the form of `folder-names.ts`. Rejects with the file system's error. */
export async function entriesOf(folder: HostFolder, asking: CallMode): Promise<ReadonlyMap<string, EntryKind>> {
  const { place } = folder;
  const found =
    asking === 'at-once' ? readdirSync(place, { withFileTypes: true }) : await readdir(place, { withFileTypes: true });
  if (!found.some(({ name }) => name.includes('\uFFFD'))) return new Map(found.map((one) => [one.name, kindOf(one)]));
  const bytes = await readdir(place, { withFileTypes: true, encoding: 'buffer' });
  return new Map(bytes.map((one) => [keyOf(one.name), kindOf(one)]));
}
