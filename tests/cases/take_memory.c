// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
//   take_memory MIB: takes that much memory and touches each page of it.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const size_t bytes = strtoul(argv[1], NULL, 10) << 20;
  volatile char* memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    puts("ENOMEM");
    return 1;
  }
  for (size_t i = 0; i < bytes; i += 4096) memory[i] = 1;
  printf("took %s MiB\n", argv[1]);
  return 0;
}
