import { describe } from 'vitest';
import { describeSandbox } from '../contracts/sandbox-contract.ts';
import { isWithoutEngine, startSandbox } from './docker-kit.ts';

describe.skipIf(isWithoutEngine)('the contract over a real engine', () => {
  describeSandbox('a container', { writes: true, commands: true }, () => startSandbox());
});
