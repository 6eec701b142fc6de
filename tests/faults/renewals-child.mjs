// One of the two processes of `sign-in-renewals.test.ts`. Node reads TypeScript itself and only needs Dewpoint's alias.
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
const { renewalsChild } = await import(pathToFileURL(resolve('tests/generated/sign-in-renewals.ts')).href);
await renewalsChild();
