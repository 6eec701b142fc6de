/** A pattern whose cost may grow with its text, and why its texts are always short. */
export interface BoundedPattern {
  readonly file: string;
  /** The pattern as the source has it. */
  readonly written: string;
  readonly why: string;
}

export const boundedPatterns: readonly BoundedPattern[] = [
  {
    file: 'src/main/recipes/facts/task-example.ts',
    written:
      /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|-?\b\d+(?:\.\d+)?\b|\b(?:None|True|False|null|undefined|true|false)\b|\[[^\]\n]*\]/g.toString(),
    why: 'reads the 260 characters after a call',
  },
  {
    file: 'src/main/lib/programs/program-environment.ts',
    written:
      /^(?:(?:NIX_)?LD_LIBRARY_PATH|VK_\w+|GGML_BACKEND_\w+|CUDA_\w*PATH\w*|HIP_\w*PATH|ROCM_PATH|VULKAN_SDK)$/u.toString(),
    why: "reads the names of this machine's own variables",
  },
  {
    file: 'src/main/sandbox/workspace/repositories/git-config.ts',
    written: /([A-Za-z][A-Za-z0-9-]*)\s*=/.toString(),
    why: 'reads the first 300 characters of a line',
  },
  {
    file: 'src/main/sandbox/workspace/secret-names.ts',
    written: /(service[-_]?account|firebase-adminsdk).*\.json$/.toString(),
    why: 'reads the name of a file, of 255 bytes at most',
  },
  {
    file: 'src/shared/safety/auto-run-files.ts',
    written:
      /(^|\/)(test_[^/]*\.py|[^/]*_test\.(py|rb|exs?)|[^/]*[._-](test|spec|tests)\.[cm]?[jt]sx?|[^/]*_spec\.rb|__tests__\/.*\.[cm]?[jt]sx?|[^/]*Tests?\.(java|kt|cs|php))$/.toString(),
    why: 'reads the path of a file, of 4,096 bytes at most',
  },
  {
    file: 'src/shared/text/task-kind.ts',
    written: /(?<=[.!?。？！])\s+|\n+/u.toString(),
    why: 'reads 20,000 characters at most',
  },
  {
    file: 'src/main/safety/assigned-secrets.ts',
    written: /^\s*(?:ENV|ARG|machine\b.*|.*\blogin\s+\S+\s*)\s*$/.toString(),
    why: 'reads the 200 characters before a name',
  },
  {
    file: 'src/main/safety/assigned-secrets.ts',
    written: /:\/\/|\?[^\s]*$|^&|["'`/]/.toString(),
    why: 'reads the 200 characters before a name',
  },
  {
    file: 'src/main/safety/assigned-secrets.ts',
    written: /\d+$/.toString(),
    why: 'reads a word of a name of 80 characters at most',
  },
  {
    file: 'src/main/lib/test-output/parse-compiler.ts',
    written:
      /^(?:PHP )?(?:Parse|Fatal) error:(?<text>.+) in (?<path>\S+\.php)(?: on line |:)(?<line>\d+)$/gmu.toString(),
    why: 'reads lines of 1,000 characters at most',
  },
  {
    file: 'src/main/lib/test-output/parse-ruby.ts',
    written:
      /^ +\d+\) (Failure|Error):\n([^\s[]+#[^\n]+?)(?: \[(\S+?):(\d+)\])?:?\n((?:[^\n]+(?:\n|$(?![\s\S])))*)/gmu.toString(),
    why: 'reads lines of 1,000 characters at most',
  },
  {
    file: 'src/main/lib/test-output/parse-ruby.ts',
    written: /^[# \t]*(\S+\.rb):(\d+):in ['`](?:[\w:]+[#.])?([^'\n]+)'$/gmu.toString(),
    why: 'reads lines of 1,000 characters at most',
  },
  {
    file: 'src/main/lib/test-output/parse-summaries.ts',
    written:
      /^(?:OK \((?<passed>\d+) tests?, \d+ assertions?\)|Tests: (?<total>\d+), Assertions: \d+(?:, Errors: (?<errors>\d+))?(?:, (?:Warnings|Risky): \d+)?(?:, Failures: (?<failed>\d+))?(?:, Skipped: (?<skipped>\d+))?.*)$/gmu.toString(),
    why: 'reads lines of 1,000 characters at most',
  },
  {
    file: 'src/main/lib/test-output/parse-summaries.ts',
    written: /^\d+\) (?<name>\S+::.+)\n(?<text>.*)$/gmu.toString(),
    why: 'reads lines of 1,000 characters at most',
  },
];
