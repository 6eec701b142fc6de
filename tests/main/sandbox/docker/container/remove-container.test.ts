import { describe, expect, it } from 'vitest';
import { removeContainer } from '../../../../../src/main/sandbox/docker/container/remove-container.ts';
import { hearDiagnostics } from '../../../../fakes/hear-diagnostics.ts';

/**
 * A container whose engine answers with these statuses in turn and then repeats the last one. Null: it removes the
 * container.
 */
function containerThat(...statuses: readonly (number | null)[]) {
  let asked = 0;
  const remove = async (): Promise<void> => {
    const status = statuses[Math.min(asked, statuses.length - 1)] ?? null;
    asked += 1;
    if (status !== null) throw Object.assign(new Error(`status ${status}`), { statusCode: status });
  };
  return { remove, asked: () => asked };
}

async function warningsOf(
  container: ReturnType<typeof containerThat>,
  milliseconds = 60_000,
): Promise<readonly string[]> {
  const warnings = hearDiagnostics();
  await removeContainer(container, milliseconds);
  return warnings;
}

describe('the removal of a container', () => {
  it('says whether the container is gone', async () => {
    hearDiagnostics();
    expect(await removeContainer(containerThat(409, 404), 60_000)).toBe(true);
    expect(await removeContainer(containerThat(null), 60_000)).toBe(true);
    expect(await removeContainer(containerThat(500), 60_000)).toBe(false);
    expect(await removeContainer(containerThat(409), 200)).toBe(false);
  });

  it('waits until the container is gone when somebody else removes it already', async () => {
    const container = containerThat(409, 409, 404);
    expect(await warningsOf(container)).toEqual([]);
    expect(container.asked()).toBe(3);
  });

  it("gives up with a warning when somebody else's removal does not end", async () => {
    expect(await warningsOf(containerThat(409), 200)).toEqual([expect.stringContaining('could not be removed')]);
  });

  it('warns once about any other error', async () => {
    const container = containerThat(500);
    expect(await warningsOf(container)).toEqual(['sandbox: a container could not be removed: status 500']);
    expect(container.asked()).toBe(1);
    expect(await warningsOf(containerThat(null))).toEqual([]);
    expect(await warningsOf(containerThat(404))).toEqual([]);
  });
});
