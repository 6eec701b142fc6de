import type { ModelInfo } from '@shared/models/model-info.ts';
import type { KnownHeader } from './files/model-catalog.ts';
import type { AdapterOf, StoredModel } from './files/stored-model.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';

export function entryOfFile(model: StoredModel): ModelEntry {
  const { place, hereBytes, origin } = model;
  return {
    id: `llama-cpp/${model.name}`,
    label: model.label,
    where: 'local',
    state: model.isInstalled ? 'ready' : origin === 'imported' || origin === 'adapter' ? 'unreachable' : 'downloadable',
    sizeBytes: model.bytes,
    license: model.license,
    info: null,
    note: noteOf(model),
    file: { path: place, hereBytes, isOurs: origin === 'folder' },
    ...(model.headerFrom === undefined ? {} : { headerFrom: model.headerFrom }),
  };
}

/** An entry for a model of which only the header is known, so that its fit on this machine can be computed. */
export function entryOfHeader(header: KnownHeader | null): ModelEntry | null {
  if (header === null) return null;
  const { name, label, weights, sources } = header;
  return {
    id: `llama-cpp/${name}`,
    label,
    where: 'local',
    state: 'unreachable',
    sizeBytes: weights?.bytes ?? null,
    license: null,
    info: null,
    note: 'only its header is known; download it from a hub: dewpoint models pull hf:OWNER/REPO',
    headerFrom: sources,
  };
}

function noteOf(model: StoredModel): string | null {
  const { origin, place, files, isInstalled, isStarter, hereBytes, adapter, sight } = model;
  if (adapter !== undefined) return adapterNote(model, adapter);
  const isSplit = files.length > 1;
  if (origin === 'imported') {
    if (isInstalled) return isSplit ? `your ${files.length} files from ${place} on` : `your file ${place}`;
    return `${isSplit ? `one of the ${files.length} files of ` : ''}${place} was not found`;
  }
  const notes = [
    ...(isStarter ? ['the starter model'] : []),
    ...(isSplit ? [`in ${files.length} files`] : []),
    ...(!isInstalled && hereBytes > 0 ? [`${sizeText(hereBytes)} of it is here`] : []),
    ...(sight !== undefined && 'refusal' in sight ? [sight.refusal] : []),
  ];
  return notes.length === 0 ? null : notes.join('; ');
}

function adapterNote({ place, path, hereBytes }: StoredModel, { baseName, bytes, madeFor }: AdapterOf): string {
  if (path === null) return `an adapter for ${baseName}, which is not here`;
  if (hereBytes === 0) return `${place} was not found`;
  const said = madeFor === null ? '' : `; it says that it was made for ${seenName(madeFor)}`;
  return `the adapter ${place} (${sizeText(bytes)}) on ${baseName}${said}`;
}

export function entryOfInfo(info: ModelInfo): ModelEntry {
  const why = info.note === undefined ? '' : ` (${info.note})`;
  const note =
    info.listedOn === undefined
      ? (info.note ?? null)
      : `from the list of ${info.listedOn}: the provider could not be reached${why}`;
  const { id, label, where, sizeBytes = null } = info;
  return { id, label, where, state: 'ready', sizeBytes, license: null, info, note };
}
