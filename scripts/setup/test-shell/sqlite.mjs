// In place of `node:sqlite`, which the Node of the test shell does not have. Loaded by `require`, because its Electron
// cannot `import` a package from inside of a packed app.
import { createRequire } from 'node:module';

export const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite');
