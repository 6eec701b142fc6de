// One of the two processes of `sign-in-renewals.test.ts`. Node reads the TypeScript as it is; only our alias is told to it.
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier.startsWith('@shared/')
        ? pathToFileURL(resolve('src/shared', specifier.slice('@shared/'.length))).href
        : specifier,
      context,
    ),
});
const { renewalsChild } = await import(pathToFileURL(resolve('bench/lib/sign-in-renewals.ts')).href);
await renewalsChild();
