/* Preloaded into a process, it makes the n-th operation on files of one folder fail: the disk is full, the disk breaks, the
 * process dies, or everything is slow. Operations: a file that is created, written to, synced, renamed, removed, or whose
 * mode changes. `faults_arm` starts the count, `faults_seen` tells how many there were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NOTHING, FAIL, SHORT, KILL_BEFORE, KILL_AFTER, TERMINATE, SLOW };

static char folder[PATH_MAX];
static int armed, kind, error_number;
static long wanted, seen;

void faults_arm(const char* where, long at, int what, int number) {
  snprintf(folder, sizeof folder, "%s", where);
  wanted = at, kind = what, error_number = number, seen = 0, armed = 1;
}
void faults_disarm(void) { armed = 0; }
long faults_seen(void) { return seen; }

static int ours(const char* path) { return path && !strncmp(path, folder, strlen(folder)); }
static int open_in(int fd) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0) return 0;
  path[n] = 0;
  return ours(path);
}

/* Whether this operation is the one that fails; the process may end here. */
static int strikes(int concerns) {
  if (!armed || !concerns) return 0;
  if (kind == SLOW) return usleep(3000), 0;
  if (++seen != wanted) return 0;
  if (kind == KILL_BEFORE) kill(getpid(), SIGKILL);
  if (kind == TERMINATE) kill(getpid(), SIGTERM);
  return kind == FAIL || kind == SHORT || kind == KILL_AFTER;
}
#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)
#define GUARDED(concerns, name, ...)                              \
  if (strikes(concerns)) {                                        \
    if (kind == KILL_AFTER) {                                     \
      (void)!REAL(name, __VA_ARGS__);                             \
      kill(getpid(), SIGKILL);                                    \
    }                                                             \
    errno = error_number;                                         \
    return -1;                                                    \
  }                                                               \
  return REAL(name, __VA_ARGS__)

ssize_t write(int fd, const void* data, size_t n) {
  if (!armed) return REAL(write, fd, data, n);
  if (strikes(open_in(fd))) {
    if (kind == SHORT && n > 1) return REAL(write, fd, data, n / 2); /* a full disk takes a part, and nothing after it */
    if (kind == KILL_AFTER) {
      (void)!REAL(write, fd, data, n);
      kill(getpid(), SIGKILL);
    }
    errno = error_number;
    return -1;
  }
  if (kind == SHORT && seen > wanted && wanted > 0 && open_in(fd)) return errno = error_number, -1;
  return REAL(write, fd, data, n);
}
ssize_t pwrite(int fd, const void* data, size_t n, off_t at) { GUARDED(armed && open_in(fd), pwrite, fd, data, n, at); }
ssize_t writev(int fd, const struct iovec* v, int n) { GUARDED(armed && open_in(fd), writev, fd, v, n); }
int fsync(int fd) { GUARDED(armed && open_in(fd), fsync, fd); }
int fdatasync(int fd) { GUARDED(armed && open_in(fd), fdatasync, fd); }
int ftruncate(int fd, off_t n) { GUARDED(armed && open_in(fd), ftruncate, fd, n); }
int rename(const char* a, const char* b) { GUARDED(ours(a) || ours(b), rename, a, b); }
int renameat(int u, const char* a, int v, const char* b) { GUARDED(ours(a) || ours(b), renameat, u, a, v, b); }
int unlink(const char* path) { GUARDED(ours(path), unlink, path); }
int chmod(const char* path, mode_t mode) { GUARDED(ours(path), chmod, path, mode); }
int mkdir(const char* path, mode_t mode) { GUARDED(ours(path), mkdir, path, mode); }

static int creates(const char* path, int flags) { return (flags & O_CREAT) && ours(path); }
static mode_t mode_of(int flags, va_list more) { return (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0; }
#define OPEN(name)                                                     \
  int name(const char* path, int flags, ...) {                         \
    va_list more;                                                      \
    va_start(more, flags);                                             \
    mode_t mode = mode_of(flags, more);                                \
    va_end(more);                                                      \
    GUARDED(creates(path, flags), name, path, flags, mode);            \
  }
#define OPENAT(name)                                                   \
  int name(int at, const char* path, int flags, ...) {                 \
    va_list more;                                                      \
    va_start(more, flags);                                             \
    mode_t mode = mode_of(flags, more);                                \
    va_end(more);                                                      \
    GUARDED(creates(path, flags), name, at, path, flags, mode);        \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
