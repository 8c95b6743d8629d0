/*
 * Bun asks Windows for random bytes through ProcessPrng, which Wine 8 lacks. Trying the Windows
 * executable out builds this library into a temporary folder; no release contains it.
 */
#include <windows.h>

/* RtlGenRandom, under the name it is exported by. */
BOOLEAN NTAPI SystemFunction036(PVOID bytes, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length)
{
    return SystemFunction036(bytes, (ULONG)length);
}
