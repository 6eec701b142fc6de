// The process of `src/main/documents`, from its sources. Node reads TypeScript itself.
import './compiled-code.mjs';

await import('../../src/main/documents/document-process.ts');
