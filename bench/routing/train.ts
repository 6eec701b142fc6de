import { writeFile } from 'node:fs/promises';
import { readRuns } from './intercode.ts';
import { fitRescue, hashOf, partsOf, prefixesOf, readPairs, trainScore } from './train-score.ts';

const [folder, path, date] = process.argv.slice(2);
if (folder === undefined || path === undefined || date === undefined) {
  console.error('Usage: node bench/routing/train.ts DATA_FOLDER FILE DATE');
  process.exit(2);
}

const runs = await readRuns(folder);
const rows = runs.flatMap((one) => prefixesOf(one, () => true));
const pairs = await readPairs(folder, runs);
const trained = trainScore(rows);
const file = {
  version: 1,
  date,
  data: {
    sha256: hashOf([rows, pairs]),
    rows: rows.length,
    sets: [
      'InterCode (SQL, Bash, Python), runs of four models, turn by turn',
      `the same and CRUXEval, ${pairs.length} pairs of models`,
    ],
  },
  card: {
    trainedOn:
      'Runs of four models on tasks with a reward, up to six turns seen. It knows no word of any task, only what happened.',
    worth: 'npm run bench -- routing --data FOLDER compares it with the weights set by hand and with all controls.',
    limits:
      'The models are from 2023 and the tasks short. It knows no edits, tests or long contexts: rules vote about these. What a model solves in your repository says more than this file.',
  },
  base: Number(trained.base.toFixed(4)),
  ability: Number(trained.ability.toFixed(4)),
  fading: Number(trained.fading.toFixed(4)),
  // Measured in made homes (`made-home.ts`): the least regret after 20 and 100 outcomes.
  imagined: 2,
  parts: partsOf(trained),
  rescue: fitRescue(pairs),
};
await writeFile(path, `${JSON.stringify(file, null, 2)}\n`);
