// For programs that tests start from their sources, which Node would read and compile anew for each of a hundred starts.
// Node takes from this folder only what was made of the same text.
import module from 'node:module';
import { resolve } from 'node:path';

module.enableCompileCache?.(resolve(import.meta.dirname, '../../node_modules/.cache/test-programs'));
