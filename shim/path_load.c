/* dlopen, in assembler where nothing is to be done: libc asks who called it (for that library's
 * RUNPATH and namespace), so the call must go on as a jump. */
#include "shim/raw.h"
#include "shim/real.h"
#include "shim/text.h"
#include "shim/way.h"
#include <dlfcn.h>

__attribute__((used)) bool fd_load_elsewhere(const char *path);
__attribute__((used)) void *fd_load(const char *path, int flags);

#if defined(__x86_64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl dlopen\n"
        ".type dlopen, @function\n"
        "dlopen:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    push %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    push %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    sub $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call fd_load_elsewhere\n"
        "    add $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    test %al, %al\n"
        "    jne fd_load\n"
        "    jmp *real_dlopen(%rip)\n"
        ".cfi_endproc\n"
        ".size dlopen, .-dlopen\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl dlopen\n"
        ".type dlopen, %function\n"
        "dlopen:\n"
        ".cfi_startproc\n"
        "    hint #34\n" /* bti c */
        "    stp x29, x30, [sp, #-32]!\n"
        "    .cfi_def_cfa_offset 32\n"
        "    .cfi_offset x29, -32\n"
        "    .cfi_offset x30, -24\n"
        "    stp x0, x1, [sp, #16]\n"
        "    bl fd_load_elsewhere\n"
        "    mov w9, w0\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x29, x30, [sp], #32\n"
        "    .cfi_restore x29\n"
        "    .cfi_restore x30\n"
        "    .cfi_def_cfa_offset 0\n"
        "    tst w9, #255\n"
        "    b.ne fd_load\n"
        "    adrp x16, real_dlopen\n"
        "    ldr x16, [x16, :lo12:real_dlopen]\n"
        "    br x16\n"
        ".cfi_endproc\n"
        ".size dlopen, .-dlopen\n");
#endif

/* Also sees to it that there is something to jump to. A name without a slash is searched for. */
bool fd_load_elsewhere(const char *path)
{
    return !REAL(dlopen) || (path && fd_text_find(path, "/") && fd_way_on() &&
                             fd_way_look(AT_FDCWD, path, FD_PROGRAM, "dlopen"));
}

void *fd_load(const char *path, int flags)
{
    if (!REAL(dlopen))
        return NULL;
    FD_WAY(AT_FDCWD, path, FD_PROGRAM, "dlopen");
    return real_dlopen(path, flags);
}
