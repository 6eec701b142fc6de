/**
 * Turns V8's coverage files into executed lines of the project's own files.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
const [root, folder] = process.argv.slice(2);
const files = {};
for (const name of readdirSync(folder)) {
  const { result } = JSON.parse(readFileSync(folder + '/' + name, 'utf8'));
  for (const script of result) {
    if (!script.url.startsWith('file://')) continue;
    const path = fileURLToPath(script.url);
    if (!path.startsWith(root + '/') || path.includes('node_modules/')) continue;
    const short = path.slice(root.length + 1);
    const text = readFileSync(path, 'utf8');
    const ranges = script.functions.flatMap((one, at) => one.ranges.map((range) => ({ ...range, top: at === 0 })));
    ranges.sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
    const hit = (files[short] ??= []);
    let offset = 0;
    for (const [index, line] of text.split('\n').entries()) {
      const at = offset + line.length - line.trimStart().length;
      offset += line.length + 1;
      let inner = null;
      for (const range of ranges) if (range.startOffset <= at && at < range.endOffset) inner = range;
      if (line.trim() && inner && !inner.top && inner.count > 0) hit.push(index + 1);
    }
  }
}
console.log('@@coverage ' + JSON.stringify(files));
