/** Plain English in the names of the code. A word of ours never goes here: it goes into `docs/glossary.md`. */
export const plainWords: readonly string[] = `
  ability admission admit advise agreed ahead alone among anew announce announcement apart around behavior
  beside between borrow bring broken brought calculate calibrated capital carried certainty chance choose chosen contradictions correction
  damage dearest deceptive decide deepest differing discover dismiss doctor doubted drawn driven either
  elsewhere endless english ensure everywhere evidence explain finders findings forget forgiveness formula fresh
  gave give goes guess harm harmless health hello here itself judge keyless knowledge lanes latest lean least leftovers locate
  longest look made may mechanical mention money most must neighbors notice occupant oldest organize our pace
  outcome overview packings passage past person piece placement plant planted preparation privacy problem propose prose purpose
  raise ran rank reach reachability reapply recovery redaction refusals remember reproduce resend resent room
  rough safety said say shorten sight silence singly slept solution solved something spent spoken standing stick still strength stuck
  summarize superseded sureness sweep swept taken talk tally technical tell there think thought thumb tidy
  trouble tryout uncached uncounted unheld unified unkept unmet unnamed unreadable unreferenced unrelated unseal
  unseen unweighed ups useful usual warm way weigh why widest wish wordlike worse worst worth
`
  .trim()
  .split(/\s+/u);

/** Words of the field, and names of products, formats and programs. */
export const fieldWords: readonly string[] = `
  acp amdgpu ansi anthropic arena attention billions budget calibrate calibration calibrations cargo catalog chart chat checkpoint citation cli
  closure composio contract conversation dedent density diagram dial disk drafters ecosystem excerpt experts
  exposure favorite gemini gemma gguf git governor harness hub huggingface hunk inbox journal jupyter learn
  linters llama localhost markdown mcp meminfo minitest mutants needle notebook nvidia oauth ollama openai
  outlook overfit pane passwd pie pip podman prefill priors project projector purse pytest python quantise quantization
  recall redact regenerate reindent repair repository rerank revert revocation ripgrep rocm rollups rootless
  rspec runners salvage scan score screenshot sdk seq sieve skill skills smi sse stem stub subcommand suspect tar tensor
  tokenize toml toolchain toolkit trajectory transient trx tunnel undeclared unittest upstream usd virtual
  workbench workload
`
  .trim()
  .split(/\s+/u);
