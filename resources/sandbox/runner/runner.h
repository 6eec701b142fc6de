/* What the parts of the runner share; see runner.c for what it is. */
#ifndef RUNNER_H
#define RUNNER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How a file operation ends. The app reads them by the same numbers (file-scripts.ts). */
enum file_exit {
  EXIT_NOT_FOUND = 40,
  EXIT_IS_FOLDER = 41,
  EXIT_NOT_REGULAR = 42,
  EXIT_TOO_LARGE = 43,
  EXIT_STALE = 44,
  EXIT_OUTSIDE = 45,
  EXIT_SHORT_INPUT = 46,
  EXIT_DENIED = 47,
  EXIT_FAILED = 48,
  EXIT_NOT_FOLDER = 49,
};

/* What a run is made of, as the app asked for it. Pointers lie in the request and live until the fork. */
struct request {
  bool is_file_operation;
  bool has_input;
  const char *folder;
  char **argv;
  char **env;
};

/* Why a run did not begin: the stage that failed, and errno. */
struct start_error {
  int32_t stage;
  int32_t code;
};
enum { STAGE_NONE = 0, STAGE_FOLDER = 1, STAGE_EXEC = 2, STAGE_SYSTEM = 3 };

/* The ends of a run's pipes that process 1 keeps; -1 where there is none. */
struct pipes {
  int in, out, err, why;
};

/* spawn.c: starts a run; returns the process that leads it, or -1 with errno. */
pid_t spawn_run(const struct request *request, struct pipes *pipes);

/* tree.c */
bool take_snapshot(void);
int signal_tree(pid_t leader, int signal);
int kill_strays(const pid_t *leaders, size_t count);

/* files.c: does one file operation in a process of its own; returns its exit code. */
int run_file_operation(char **argv);

/* walk.c: the operations that go through folders. */
int list_folder(char **argv);
int scan_workspace(char **argv);

/* sha256.c */
struct sha256 {
  uint32_t state[8];
  uint64_t length;
  uint8_t block[64];
};
void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const uint8_t *bytes, size_t length);
void sha256_end(struct sha256 *hash, char hex[65]);

#endif
