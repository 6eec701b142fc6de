/*
 * Going through folders, link by link followed by none: what the list and scan programs of file-scripts.ts do with find.
 * Arguments that say what to leave out come last: names of folders, `--`, and names of folders that are left out when
 * they are Python environments. A folder that cannot be looked through whole is a record of its own, with a `!`.
 */
#include "runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_PATH 65536
#define MOST_IGNORE_FILES 1000
#define MOST_IGNORE_BYTES (127 * 1024)

enum purpose { LIST, SCAN, IGNORE_FILES };

struct walk {
  enum purpose purpose;
  /* Null: nothing is left out. */
  char **left_out;
  int deepest;
  int found;
};

static char path[MOST_PATH];

static bool is_environment(int folder, const char *name) {
  int opened = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return false;
  bool is_there = faccessat(opened, "pyvenv.cfg", F_OK, 0) == 0;
  close(opened);
  return is_there;
}

static bool is_left_out(const struct walk *walk, int folder, const char *name, bool is_folder) {
  char **entry = walk->left_out;
  if (entry == NULL) return false;
  for (; *entry != NULL && strcmp(*entry, "--") != 0; entry += 1)
    if (is_folder && strcmp(*entry, name) == 0) return true;
  for (entry += *entry != NULL; *entry != NULL; entry += 1)
    if (is_folder && strcmp(*entry, name) == 0 && is_environment(folder, name)) return true;
  return false;
}

static char letter_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return 'f';
    case S_IFDIR: return 'd';
    case S_IFLNK: return 'l';
    default: return 'o';
  }
}

/* The bytes without NUL, for the record ends with one, and an x that keeps the last line breaks. */
static void print_ignore_file(struct walk *walk, int folder, const char *name, const struct stat *found) {
  static char text[MOST_IGNORE_BYTES];
  if (found->st_size > MOST_IGNORE_BYTES || walk->found >= MOST_IGNORE_FILES) return;
  int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  size_t length = 0;
  ssize_t count;
  while (length < sizeof text && (count = read(file, text + length, sizeof text - length)) > 0) length += (size_t)count;
  close(file);
  walk->found += 1;
  size_t kept = 0;
  for (size_t i = 0; i < length; i += 1)
    if (text[i] != '\0') text[kept++] = text[i];
  printf("%zu %s%c", kept, path, '\0');
  fwrite(text, 1, kept, stdout);
  fwrite("x", 1, 2, stdout);
}

/* What went away, or became something else, since its name was read. */
static bool is_gone(int code) {
  return code == ENOENT || code == ENOTDIR || code == ELOOP;
}

/* The folder that `path` names at this moment. */
static void print_unseen(const struct walk *walk) {
  if (walk->purpose == LIST) printf("! 0 %s%c", path, '\0');
  if (walk->purpose == SCAN) printf("! %s%c", strcmp(path, ".") == 0 ? path : path + 2, '\0');
}

/* Returns whether it could be looked at. */
static bool print_entry(struct walk *walk, int folder, const char *name, bool is_file) {
  struct stat found;
  if (walk->purpose != LIST && !is_file) return true;
  if (walk->purpose == IGNORE_FILES && strcmp(name, ".gitignore") != 0) return true;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return is_gone(errno);
  if (walk->purpose == LIST) {
    printf("%c %lld %s%c", letter_of(found.st_mode), (long long)found.st_size, path, '\0');
  } else if (walk->purpose == IGNORE_FILES) {
    print_ignore_file(walk, folder, name, &found);
  } else {
    printf("%lld %o %llu %lld.%09ld|%lld.%09ld\t%s%c", (long long)found.st_size, (unsigned)(found.st_mode & 07777),
           (unsigned long long)found.st_ino, (long long)found.st_mtim.tv_sec, found.st_mtim.tv_nsec,
           (long long)found.st_ctim.tv_sec, found.st_ctim.tv_nsec, path + 2, '\0');
  }
  return true;
}

static unsigned char type_of(int folder, const struct dirent *entry) {
  struct stat found;
  if (entry->d_type != DT_UNKNOWN) return entry->d_type;
  if (fstatat(folder, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
  return S_ISDIR(found.st_mode) ? DT_DIR : S_ISREG(found.st_mode) ? DT_REG : DT_LNK;
}

static void go_through(struct walk *walk, int folder, size_t length, int depth);

static void descend(struct walk *walk, int folder, const char *name, int depth) {
  int below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (below >= 0) go_through(walk, below, strlen(path), depth);
  else if (!is_gone(errno)) print_unseen(walk);
}

/* `path` names the folder in its first `length` bytes, and does so again at the end. Closes the folder. */
static void go_through(struct walk *walk, int folder, size_t length, int depth) {
  DIR *opened = fdopendir(folder);
  if (opened == NULL) {
    close(folder);
    print_unseen(walk);
    return;
  }
  bool is_whole = true;
  errno = 0;
  for (struct dirent *entry = readdir(opened); entry != NULL; errno = 0, entry = readdir(opened)) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    unsigned char type = type_of(folder, entry);
    size_t size = strlen(name);
    if (is_left_out(walk, folder, name, type == DT_DIR)) continue;
    if (length + size + 2 > sizeof path) {
      is_whole = false;
      continue;
    }
    path[length] = '/';
    memcpy(path + length + 1, name, size + 1);
    is_whole = print_entry(walk, folder, name, type == DT_REG) && is_whole;
    if (type == DT_DIR && depth < walk->deepest) descend(walk, folder, name, depth + 1);
    path[length] = '\0';
  }
  if (errno != 0 || !is_whole) print_unseen(walk);
  closedir(opened);
}

static int walk_from(const char *start, struct walk walk) {
  size_t length = strlen(start);
  int folder = open(start, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
  if (folder < 0) return errno == ENOENT || errno == ELOOP ? EXIT_NOT_FOUND : EXIT_NOT_FOLDER;
  if (length + 2 > sizeof path) return EXIT_NOT_FOUND;
  memcpy(path, start, length + 1);
  go_through(&walk, folder, length, 1);
  return 0;
}

/* PATH DEPTH all|some WHAT TO LEAVE OUT: entries, an empty one, then the ignore files of the workspace. */
int list_folder(char **argv) {
  struct stat found;
  if (stat(argv[0], &found) != 0) return EXIT_NOT_FOUND;
  if (!S_ISDIR(found.st_mode)) return EXIT_NOT_FOLDER;
  setvbuf(stdout, NULL, _IOFBF, 256 * 1024);
  bool is_all = strcmp(argv[2], "all") == 0;
  if (access(argv[0], R_OK) != 0) return EXIT_DENIED;
  struct walk walk = {.purpose = LIST, .left_out = is_all ? NULL : argv + 3, .deepest = atoi(argv[1])};
  int problem = walk_from(argv[0], walk);
  if (problem != 0) return problem;
  putchar('\0');
  if (!is_all) walk_from(".", (struct walk){.purpose = IGNORE_FILES, .left_out = argv + 3, .deepest = INT32_MAX});
  return fflush(stdout) == 0 ? 0 : EXIT_FAILED;
}

/* WHAT TO LEAVE OUT: every tracked file of the workspace. */
int scan_workspace(char **argv) {
  setvbuf(stdout, NULL, _IOFBF, 256 * 1024);
  int problem = walk_from(".", (struct walk){.purpose = SCAN, .left_out = argv, .deepest = INT32_MAX});
  return problem == 0 && fflush(stdout) != 0 ? EXIT_FAILED : problem;
}
