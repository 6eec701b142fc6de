import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { folderArchive } from '../../src/main/sandbox/docker/files/folder-archive.ts';

export interface ImageRegistry extends AsyncDisposable {
  /** Name of its only image: `127.0.0.1:PORT/NAME`, which engines ask for without TLS. */
  readonly name: string;
  /** `sha256:…` of the image's manifest. */
  readonly digest: string;
  /** The id by which engines know the image: `sha256:…`. */
  readonly id: string;
}

const types = {
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
  config: 'application/vnd.docker.container.image.v1+json',
  layer: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
} as const;

const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/**
 * An image registry with one image, which holds one folder. The image is new each time, because engines remember what
 * they fetched. `isTampered`: the manifest does not match its digest.
 */
export async function openImageRegistry(isTampered = false): Promise<ImageRegistry> {
  const archive = folderArchive('of-the-registry', { uid: 0, gid: 0 }, 0o755);
  const layer = gzipSync(archive);
  const config = Buffer.from(
    JSON.stringify({
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: { Labels: { test: randomUUID() } },
      rootfs: { type: 'layers', diff_ids: [digestOf(archive)] },
    }),
  );
  const described = (mediaType: string, bytes: Uint8Array): object => ({
    mediaType,
    size: bytes.length,
    digest: digestOf(bytes),
  });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: types.manifest,
      config: described(types.config, config),
      layers: [described(types.layer, layer)],
    }),
  );
  const digest = digestOf(manifest);
  const blobs = new Map([config, layer].map((bytes) => [digestOf(bytes), bytes]));
  const other = Buffer.from(manifest.toString().replace('"schemaVersion":2', '"schemaVersion": 2'));
  const served = isTampered ? other : manifest;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const [, kind = '', reference = ''] = /^\/v2\/image\/(manifests|blobs)\/(.+)$/.exec(path) ?? [];
    const isManifest = kind === 'manifests' && [digest, 'latest'].includes(reference);
    const bytes = path === '/v2/' ? Buffer.from('{}') : isManifest ? served : blobs.get(reference);
    if (bytes !== undefined) response.setHeader('Content-Length', bytes.length);
    response.statusCode = bytes === undefined ? 404 : 200;
    if (isManifest) response.setHeader('Content-Type', types.manifest).setHeader('Docker-Content-Digest', digest);
    response.end(request.method === 'HEAD' ? undefined : bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The registry has no port.');
  const { port } = address;
  return {
    name: `127.0.0.1:${port}/image`,
    digest,
    id: digestOf(config),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
