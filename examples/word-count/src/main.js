import { readFileSync } from 'node:fs';
import { countWords, topWords } from './count.js';

const path = process.argv[2];
if (path === undefined) {
  console.error('usage: node src/main.js FILE');
  process.exit(2);
}

const text = readFileSync(path, 'utf8');
console.log(`${countWords(text)} words`);
for (const [word, count] of topWords(text)) {
  console.log(`${String(count).padStart(5)}  ${word}`);
}
