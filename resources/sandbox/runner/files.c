/*
 * File operations, each in a process of its own that is in the workspace: what a link leads to is at most the
 * container's own. They print and end as the shell programs of file-scripts.ts do, which do the same where there is no
 * runner; a test runs both through the same contract.
 */
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int file, const uint8_t *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    length -= (size_t)written;
  }
  return true;
}

static ssize_t read_some(int file, uint8_t *bytes, size_t length) {
  ssize_t count;
  do count = read(file, bytes, length);
  while (count < 0 && errno == EINTR);
  return count;
}

/* Copies until the end or until `most` bytes; returns how many, -1 where one of the two fails. */
static int64_t copy(int from, int to, int64_t most) {
  static uint8_t bytes[256 * 1024];
  int64_t all = 0;
  while (all < most) {
    size_t wanted = most - all < (int64_t)sizeof bytes ? (size_t)(most - all) : sizeof bytes;
    ssize_t count = read_some(from, bytes, wanted);
    if (count == 0) break;
    if (count < 0 || !write_all(to, bytes, (size_t)count)) return -1;
    all += count;
  }
  return all;
}

static int fail(void) {
  dprintf(2, "%s\n", strerror(errno));
  return EXIT_FAILED;
}

/* Opens a regular file for reading; the exit code where there is none to be had. Waits for no pipe or device. */
static int open_regular(const char *path, int *file, struct stat *found) {
  if (stat(path, found) != 0) return EXIT_NOT_FOUND;
  if (S_ISDIR(found->st_mode)) return EXIT_IS_FOLDER;
  if (!S_ISREG(found->st_mode)) return EXIT_NOT_REGULAR;
  *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (*file < 0) return errno == EACCES || errno == EPERM ? EXIT_DENIED : EXIT_NOT_FOUND;
  if (fstat(*file, found) != 0) return fail();
  return S_ISREG(found->st_mode) ? 0 : EXIT_NOT_REGULAR;
}

/* PATH MOST: prints the mode in octal and a line end, then the bytes; the size of a file that is too large. */
static int read_file(char **argv) {
  int file;
  struct stat found;
  int problem = open_regular(argv[0], &file, &found);
  if (problem != 0) return problem;
  int64_t most = strtoll(argv[1], NULL, 10);
  if (found.st_size > most) {
    dprintf(1, "%lld", (long long)found.st_size);
    return EXIT_TOO_LARGE;
  }
  dprintf(1, "%o\n", (unsigned)(found.st_mode & 07777));
  return copy(file, 1, most + 1) < 0 ? fail() : 0;
}

static void describe(const struct stat *found, char *line, size_t size) {
  snprintf(line, size, "%lld %o %llu %lld.%09ld %lld.%09ld\n", (long long)found->st_size,
           (unsigned)(found->st_mode & 07777), (unsigned long long)found->st_ino, (long long)found->st_mtim.tv_sec,
           found->st_mtim.tv_nsec, (long long)found->st_ctim.tv_sec, found->st_ctim.tv_nsec);
}

static bool print_lines(char **paths) {
  for (char **path = paths; *path != NULL; path += 1) {
    struct stat found;
    char line[160];
    if (stat(*path, &found) != 0 || !S_ISREG(found.st_mode)) return false;
    describe(&found, line, sizeof line);
    if (!write_all(1, (const uint8_t *)line, strlen(line))) return false;
  }
  return true;
}

/* PATHS: a line for each, then the bytes of all, then the lines again. */
static int read_many(char **argv) {
  if (!print_lines(argv)) return EXIT_NOT_REGULAR;
  for (char **path = argv; *path != NULL; path += 1) {
    int file;
    struct stat found;
    if (open_regular(*path, &file, &found) != 0 || copy(file, 1, INT64_MAX) < 0) return EXIT_FAILED;
    close(file);
  }
  return print_lines(argv) ? 0 : EXIT_FAILED;
}

/* Whether a name in the folder that we are in is what the caller expects: `any`, `none`, or its SHA-256. */
static bool is_expected(const char *name, const char *expected) {
  struct stat found;
  if (strcmp(expected, "any") == 0) return true;
  if (strcmp(expected, "none") == 0) return lstat(name, &found) != 0;
  int file;
  if (open_regular(name, &file, &found) != 0) return false;
  static uint8_t bytes[256 * 1024];
  struct sha256 hash;
  sha256_begin(&hash);
  ssize_t count;
  while ((count = read_some(file, bytes, sizeof bytes)) > 0) sha256_add(&hash, bytes, (size_t)count);
  close(file);
  char hex[65];
  sha256_end(&hash, hex);
  return count == 0 && strcmp(hex, expected) == 0;
}

static bool make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
      *slash = '/';
      break;
    }
    *slash = '/';
  }
  mkdir(path, 0777);
  struct stat found;
  return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* Goes to the folder of a path by its real place and leaves the name; a link out of the workspace ends here. */
static int enter_folder(const char *path, bool is_made, char name[PATH_MAX]) {
  char folder[PATH_MAX], root[PATH_MAX], here[PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (slash == NULL || strlen(path) >= PATH_MAX) return EXIT_NOT_FOUND;
  snprintf(name, PATH_MAX, "%s", slash + 1);
  snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
  if (is_made && !make_folders(folder)) return EXIT_NOT_FOLDER;
  if (getcwd(root, sizeof root) == NULL || chdir(folder) != 0) return EXIT_NOT_FOUND;
  if (getcwd(here, sizeof here) == NULL) return EXIT_NOT_FOUND;
  size_t length = strlen(root);
  bool is_inside = strncmp(here, root, length) == 0 && (here[length] == '/' || here[length] == '\0');
  return is_inside ? 0 : EXIT_OUTSIDE;
}

static bool is_link(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 && S_ISLNK(found.st_mode);
}

/* Of a write under way, for the handler: nothing is left behind when it is asked to end. */
static char temporary[PATH_MAX];

static void on_end(int number) {
  (void)number;
  if (temporary[0] != '\0') unlink(temporary);
  _exit(EXIT_SHORT_INPUT);
}

static int fill_temporary(int64_t size) {
  int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) return errno == EACCES || errno == EPERM || errno == EROFS ? EXIT_DENIED : fail();
  int64_t copied = copy(0, file, INT64_MAX);
  if (copied < 0 || close(file) != 0) return fail();
  return copied == size ? 0 : EXIT_SHORT_INPUT;
}

/* A rename would change the owner of somebody else's file that this user may write. */
static int write_in_place(const char *name) {
  int from = open(temporary, O_RDONLY | O_CLOEXEC);
  int to = open(name, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (from < 0 || to < 0 || copy(from, to, INT64_MAX) < 0 || close(to) != 0) return fail();
  return 0;
}

static int put_in_place(const char *name, const char *expected) {
  struct stat found;
  bool is_there = stat(name, &found) == 0 && S_ISREG(found.st_mode);
  if (is_there && chmod(temporary, found.st_mode & 07777) != 0) return fail();
  if (!is_expected(name, expected)) return EXIT_STALE;
  if (is_there && (found.st_uid != geteuid() || found.st_gid != getegid())) return write_in_place(name);
  return rename(temporary, name) == 0 ? 0 : fail();
}

/* PATH EXPECTED SIZE TEMPORARY: the file is there whole or not at all. */
static int write_file(char **argv) {
  char real[PATH_MAX], name[PATH_MAX];
  const char *path = argv[0];
  if (is_link(path)) {
    if (realpath(path, real) == NULL) return EXIT_NOT_FOUND;
    path = real;
  }
  int problem = enter_folder(path, true, name);
  if (problem != 0) return problem;
  struct stat found;
  if (stat(name, &found) == 0) {
    if (S_ISDIR(found.st_mode)) return EXIT_IS_FOLDER;
    if (!S_ISREG(found.st_mode)) return EXIT_NOT_REGULAR;
    if (access(name, W_OK) != 0) return EXIT_DENIED;
  }
  if (!is_expected(name, argv[1])) return EXIT_STALE;
  signal(SIGTERM, on_end);
  snprintf(temporary, sizeof temporary, "%s", argv[3]);
  problem = fill_temporary(strtoll(argv[2], NULL, 10));
  if (problem == 0) problem = put_in_place(name, argv[1]);
  unlink(temporary);
  return problem;
}

/* PATH EXPECTED: a link is removed itself, whatever it leads to. */
static int delete_file(char **argv) {
  char name[PATH_MAX];
  struct stat found;
  const char *expected = argv[1];
  if (lstat(argv[0], &found) != 0) return EXIT_NOT_FOUND;
  if (S_ISLNK(found.st_mode)) {
    if (!is_expected(argv[0], expected)) return EXIT_STALE;
    expected = "any";
  }
  int problem = enter_folder(argv[0], false, name);
  if (problem != 0) return problem;
  if (lstat(name, &found) == 0 && S_ISDIR(found.st_mode)) return EXIT_IS_FOLDER;
  if (!is_expected(name, expected)) return EXIT_STALE;
  return unlink(name) == 0 || errno == ENOENT ? 0 : EXIT_DENIED;
}

/* PATH: prints the raw mode in hex, the size, and the time of change in seconds. */
static int stat_path(char **argv) {
  struct stat found;
  if (lstat(argv[0], &found) != 0) return EXIT_NOT_FOUND;
  printf("%x %lld %lld.%03ld\n", (unsigned)found.st_mode, (long long)found.st_size, (long long)found.st_mtim.tv_sec,
         found.st_mtim.tv_nsec / 1000000);
  return fflush(stdout) == 0 ? 0 : EXIT_FAILED;
}

static const struct operation {
  const char *name;
  int arguments;
  int (*run)(char **argv);
} operations[] = {
    {"read", 2, read_file},   {"read-many", 0, read_many}, {"write", 4, write_file},    {"delete", 2, delete_file},
    {"stat", 1, stat_path},   {"list", 3, list_folder},    {"scan", 0, scan_workspace},
};

int run_file_operation(char **argv) {
  int count = 0;
  while (argv[count + 1] != NULL) count += 1;
  for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i += 1)
    if (strcmp(operations[i].name, argv[0]) == 0 && count >= operations[i].arguments) return operations[i].run(argv + 1);
  dprintf(2, "no such operation\n");
  return EXIT_FAILED;
}
