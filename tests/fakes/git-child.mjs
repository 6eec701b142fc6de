// The process of `src/main/git/process`, from its sources. Node reads TypeScript itself, and only needs the alias.
import './compiled-code.mjs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const source = (path) => pathToFileURL(resolve(import.meta.dirname, '../../src', path)).href;

registerHooks({
  resolve: (name, context, next) =>
    next(name.startsWith('@shared/') ? source(`shared/${name.slice('@shared/'.length)}`) : name, context),
});
await import(source('main/git/process/git-process.ts'));
