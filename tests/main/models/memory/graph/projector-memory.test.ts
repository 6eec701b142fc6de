import { describe, expect, it } from 'vitest';
import {
  mostPictureTokens,
  readProjector,
  sightMemory,
} from '../../../../../src/main/models/memory/estimate/projector-memory.ts';
import type { ProjectorFacts } from '../../../../../src/main/models/memory/estimate/projector-memory.ts';
import { createGgufParse, factsOf } from '../../../../../src/main/models/memory/gguf/parse-gguf.ts';
import { projectorFile } from '../../../../fakes/projector-file.ts';
import type { ProjectorParts } from '../../../../fakes/projector-file.ts';

/** Catches: a picture that takes more of the context or of the memory than was planned for it. */
function read(parts: ProjectorParts): ProjectorFacts {
  const parse = createGgufParse();
  parse.push(projectorFile(parts));
  const { keys, weights } = factsOf(parse.result(), []);
  const facts = readProjector(keys, weights?.totalBytes ?? 0);
  if (facts === null) throw new Error('no projector');
  return facts;
}

/** What llama-server of v0.4.0 prints for the compute buffer after its first picture, in MiB. */
const printed = [
  [{ width: 384, layers: 3, feedForward: 1536, imageSize: 384 }, 24 * 24, '5.49'],
  [{ width: 384, layers: 3, feedForward: 1536, imageSize: 384 }, 40 * 40, '15.26'],
  [{ width: 384, layers: 3, feedForward: 1536, imageSize: 384 }, 16 * 32, '4.88'],
  [{ width: 128, layers: 1, feedForward: 640, imageSize: 256 }, 32 * 32, '5.02'],
  [{ width: 256, layers: 2, feedForward: 256, imageSize: 256 }, 64 * 64, '26.06'],
  [{ kind: 'gemma3', width: 384, layers: 3, feedForward: 1536, imageSize: 384 }, 24 * 24, '5.91'],
  [{ kind: 'gemma3', width: 256, layers: 2, feedForward: 256, imageSize: 512 }, 32 * 32, '5.50'],
  [{ kind: 'gemma3', width: 192, layers: 1, feedForward: 700, imageSize: 256 }, 16 * 16, '2.04'],
  [{ kind: 'gemma3', width: 320, layers: 4, feedForward: 320, imageSize: 320 }, 20 * 20, '3.14'],
] as const;

describe('the memory of a projector', () => {
  it.each(printed)('is what the server prints for %j and %i patches', (parts, patches, mebibytes) => {
    const facts = read(parts);
    const { computeBytes, isEstimate } = sightMemory(facts, patches / facts.merge ** 2);
    expect([(computeBytes / 2 ** 20).toFixed(2), isEstimate]).toEqual([mebibytes, false]);
  });

  it('is called an estimate for a kind whose graph is not known here', () => {
    const facts = { ...read({}), kind: 'next-year', size: null };
    expect(sightMemory(facts, null)).toMatchObject({ isEstimate: true, weightsBytes: facts.weightsBytes });
    expect(mostPictureTokens(facts, 8192, 512)).toBeNull();
  });
});

describe('the most tokens of a picture', () => {
  it('never are more than half of a context, nor than a batch where they are read at once', () => {
    expect([16_384, 4_096, 512].map((context) => mostPictureTokens(read({}), context, 512))).toEqual([1024, 1024, 256]);
    expect(mostPictureTokens({ ...read({}), kind: 'gemma4v' }, 16_384, 512)).toBe(512);
    expect(mostPictureTokens(read({ kind: 'gemma3' }), 16_384, 512)).toBe(16);
  });
});

describe('a file that only looks like a projector', () => {
  const keys = Object.entries({
    'general.architecture': 'clip',
    'clip.has_vision_encoder': true,
    'clip.projector_type': 'gemma3',
    'clip.vision.embedding_length': 64,
    'clip.vision.block_count': 2,
    'clip.vision.patch_size': 16,
    'clip.vision.feed_forward_length': 128,
    'clip.vision.image_size': 128,
  });
  it.each([
    ['clip.has_vision_encoder', false],
    ['general.architecture', 'llama'],
    ['clip.vision.patch_size', 0],
    ['clip.vision.block_count', 4_000_000_000],
    ['clip.projector_type', 7],
  ])('is none because of its %s', (key, value) => {
    expect(readProjector(Object.fromEntries(keys), 1)).not.toBeNull();
    expect(readProjector({ ...Object.fromEntries(keys), [key]: value }, 1)).toBeNull();
  });
});
