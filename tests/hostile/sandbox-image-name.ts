import type { Engine } from '../../src/main/sandbox/docker/engine/container-engine.ts';
import { findImage } from '../../src/main/sandbox/images/sandbox-image.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { imageSource, none } from '../docker/docker-kit.ts';

/** The sandbox image. Its Git and tools also play those of the person in tests. */
export async function sandboxImageName(engine: Engine): Promise<string> {
  return valueOf(await findImage(engine, { ...imageSource, wanted: null }, none)).id;
}
