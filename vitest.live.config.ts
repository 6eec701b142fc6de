import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** `npm run test:live`: against real services, for who has a key. No part of `npm test`: it costs money. */
export default defineConfig({
  resolve: { alias: { '@shared': resolve('src/shared') } },
  test: { environment: 'node', include: ['tests/live/**/*.test.ts'], testTimeout: 240_000, hookTimeout: 240_000 },
});
