/*
 * The switch on aarch64 (AAPCS64): x19 to x30 and d8 to d15 are callee-saved;
 * they go to the old stack, the stack pointer is exchanged, and they come from
 * the new one. A new fiber begins in fiber_start with its function in x19 and
 * the argument in x20.
 */
	.text
	.globl	fiber_swap_
	.hidden	fiber_swap_
	.type	fiber_swap_, %function
	.p2align 4
fiber_swap_:
	.cfi_startproc
	hint	#34			/* bti c */
	sub	sp, sp, #160
	stp	x19, x20, [sp, #0]
	stp	x21, x22, [sp, #16]
	stp	x23, x24, [sp, #32]
	stp	x25, x26, [sp, #48]
	stp	x27, x28, [sp, #64]
	stp	x29, x30, [sp, #80]
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	mov	x9, sp
	str	x9, [x0]
	mov	sp, x1
	ldp	x19, x20, [sp, #0]
	ldp	x21, x22, [sp, #16]
	ldp	x23, x24, [sp, #32]
	ldp	x25, x26, [sp, #48]
	ldp	x27, x28, [sp, #64]
	ldp	x29, x30, [sp, #80]
	ldp	d8, d9, [sp, #96]
	ldp	d10, d11, [sp, #112]
	ldp	d12, d13, [sp, #128]
	ldp	d14, d15, [sp, #144]
	add	sp, sp, #160
	ret
	.cfi_endproc
	.size	fiber_swap_, . - fiber_swap_

	.type	fiber_start, %function
	.p2align 4
fiber_start:
	.cfi_startproc
	.cfi_undefined x30
	mov	x0, x20
	blr	x19
	brk	#1
	.cfi_endproc
	.size	fiber_start, . - fiber_start

	/* void *fiber_prepare_(struct stack *s, fiber_fn *fn, void *arg): s->top is
	 * the third word of *s. */
	.globl	fiber_prepare_
	.hidden	fiber_prepare_
	.type	fiber_prepare_, %function
	.p2align 4
fiber_prepare_:
	.cfi_startproc
	hint	#34
	ldr	x9, [x0, #16]
	and	x9, x9, #-16
	sub	x9, x9, #160
	stp	x1, x2, [x9, #0]	/* x19, x20 */
	stp	xzr, xzr, [x9, #16]
	stp	xzr, xzr, [x9, #32]
	stp	xzr, xzr, [x9, #48]
	stp	xzr, xzr, [x9, #64]
	adr	x10, fiber_start
	stp	xzr, x10, [x9, #80]	/* x29: the end of the chain; x30 */
	stp	xzr, xzr, [x9, #96]
	stp	xzr, xzr, [x9, #112]
	stp	xzr, xzr, [x9, #128]
	stp	xzr, xzr, [x9, #144]
	mov	x0, x9
	ret
	.cfi_endproc
	.size	fiber_prepare_, . - fiber_prepare_

	.section .note.GNU-stack, "", %progbits
