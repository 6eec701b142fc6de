import { join } from 'node:path';
import { createSandboxFactory, type SandboxFactory } from '../../src/main/sandbox/sandbox-factory.ts';
import { testPrograms } from '../../tests/fakes/test-programs.ts';

/** Makes sandboxes as every host does, whose containers belong to `homePath`. */
export function benchSandboxFactory(root: string, homePath: string): SandboxFactory {
  return createSandboxFactory({
    homePath,
    resourcesPath: join(root, 'resources'),
    imageScript: {
      node: process.execPath,
      path: join(root, 'scripts', 'setup', 'sandbox-image.mjs'),
      programs: testPrograms(),
    },
    env: process.env,
    connection: () => ({ proxy: null, certificates: null }),
  });
}
