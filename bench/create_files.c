// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// Creates COUNT files in the current folder and prints the median cost of a creation in
// nanoseconds. Runs inside and outside of a sandbox. The files stay: see bench_create() in `run`.
//   create_files COUNT
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int by_value(const void* a, const void* b) {
  const long long x = *(const long long*)a, y = *(const long long*)b;
  return (x > y) - (x < y);
}

static long long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 1000;
  long long* taken = calloc((size_t)count, sizeof *taken);
  char name[32];
  if (taken == NULL) return 2;
  for (int i = 0; i < count; ++i) {
    snprintf(name, sizeof name, "created-%d", i);
    const long long start = now_ns();
    const int fd = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    taken[i] = now_ns() - start;
    if (fd < 0) {
      perror(name);
      return 1;
    }
    close(fd);
  }
  qsort(taken, (size_t)count, sizeof *taken, by_value);
  printf("%lld\n", taken[count / 2]);
  return 0;
}
