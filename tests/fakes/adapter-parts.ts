import { join } from 'node:path';
import { createAdapterList } from '../../src/main/models/files/adapters.ts';
import type { AdapterParts } from '../../src/main/models/files/adapters.ts';
import { createFileDigests } from '../../src/main/models/files/file-digests.ts';
import { createProjectorList } from '../../src/main/models/files/projectors.ts';
import type { ProjectorList } from '../../src/main/models/files/projectors.ts';
import { createProbeCardStore } from '../../src/main/models/files/probe-card-store.ts';

/** What the model store knows about adapters and projectors, read from the files of a folder. */
export function adapterParts(dir: string): AdapterParts & { readonly projectors: ProjectorList } {
  return {
    adapters: createAdapterList(join(dir, 'adapters.json')),
    projectors: createProjectorList(join(dir, 'projectors.json')),
    digests: createFileDigests(createProbeCardStore(join(dir, 'probe-cards.json'))),
  };
}
