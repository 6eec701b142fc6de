/**
 * Parses command line arguments.
 *
 * "--name value" sets an option, "--name" followed by another option or by
 * nothing sets it to true. Everything after a bare "--" and everything that is
 * not an option is positional.
 *
 * @param {string[]} argv
 * @returns {{options: Record<string, string | boolean>, positional: string[]}}
 */
export function parseArgs(argv) {
  const options = {};
  const positional = [];
  for (let index = 0; index < argv.length; index += 1) {
    const arg = argv[index];
    if (arg === '--') {
      positional.push(...argv.slice(index + 1));
      break;
    }
    if (!arg.startsWith('--')) {
      positional.push(arg);
      continue;
    }
    const name = arg.slice(2);
    const following = argv[index + 1];
    if (following === undefined || following.startsWith('--')) {
      options[name] = true;
    } else {
      options[name] = following;
      index += 1;
    }
  }
  return { options, positional };
}
