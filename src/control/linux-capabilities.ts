/** File names of the C library on Linux: first glibc, then musl. */
const C_LIBRARIES = [
  "libc.so.6",
  `libc.musl-${process.arch === "x64" ? "x86_64" : "aarch64"}.so.1`,
];

// From linux/prctl.h and linux/capability.h.
const PR_SET_KEEPCAPS = 8;
const CAPABILITY_VERSION_3 = 0x20080522;
const CAP_DAC_READ_SEARCH = 1 << 2;

/**
 * Gives up all of root's rights except one: to enter every folder and read every file, not to
 * write. Only this thread has this right, and child processes do not inherit it.
 * @param becomeUser changes this process's user
 * @throws when this is not Linux, or root has less than its usual rights
 */
export async function keepReadingEverything(becomeUser: () => void): Promise<void> {
  const { prctl, capset, ptr } = await loadCapabilities();
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) !== 0) throw new Error("prctl failed");
  becomeUser();
  const thisThread = new Uint32Array([CAPABILITY_VERSION_3, 0]);
  // Effective, permitted, inheritable; then the same three for capabilities after the 32nd.
  const rights = new Uint32Array([CAP_DAC_READ_SEARCH, CAP_DAC_READ_SEARCH, 0, 0, 0, 0]);
  if (capset(ptr(thisThread), ptr(rights)) !== 0) throw new Error("capset failed");
}

/** Loaded only when needed, which is rare. */
async function loadCapabilities() {
  const { dlopen, ptr } = await import("bun:ffi");
  for (const library of C_LIBRARIES) {
    try {
      const { symbols } = dlopen(library, {
        prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" },
        capset: { args: ["ptr", "ptr"], returns: "int" },
      });
      return { ...symbols, ptr };
    } catch {
      // Try the next library.
    }
  }
  throw new Error("no C library with capabilities");
}
