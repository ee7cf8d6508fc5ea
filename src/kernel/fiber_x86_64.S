/*
 * The switch on x86-64 (System V): the six callee-saved registers go to the old
 * stack, the stack pointer is exchanged, and the same six come from the new
 * one. The floating-point control words are not touched: nothing here changes
 * them. A new fiber begins in fiber_start with its function in rbx and the
 * argument in r12.
 */
	.text
	.globl	fiber_swap_
	.hidden	fiber_swap_
	.type	fiber_swap_, @function
	.p2align 4
fiber_swap_:
	.cfi_startproc
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret
	.cfi_endproc
	.size	fiber_swap_, . - fiber_swap_

	.type	fiber_start, @function
	.p2align 4
fiber_start:
	.cfi_startproc
	.cfi_undefined rip
	movq	%r12, %rdi
	call	*%rbx
	ud2
	.cfi_endproc
	.size	fiber_start, . - fiber_start

	/* void *fiber_prepare_(struct stack *s, fiber_fn *fn, void *arg): s->top is
	 * the third word of *s. */
	.globl	fiber_prepare_
	.hidden	fiber_prepare_
	.type	fiber_prepare_, @function
	.p2align 4
fiber_prepare_:
	.cfi_startproc
	movq	16(%rdi), %rax
	andq	$-16, %rax
	leaq	fiber_start(%rip), %rcx
	movq	$0, -8(%rax)
	movq	$0, -16(%rax)
	movq	%rcx, -24(%rax)		/* popped by ret: rsp is then 16-aligned */
	movq	$0, -32(%rax)		/* rbp: the end of the chain of frames */
	movq	%rsi, -40(%rax)		/* rbx */
	movq	%rdx, -48(%rax)		/* r12 */
	movq	$0, -56(%rax)
	movq	$0, -64(%rax)
	movq	$0, -72(%rax)
	subq	$72, %rax
	ret
	.cfi_endproc
	.size	fiber_prepare_, . - fiber_prepare_

	.section .note.GNU-stack, "", @progbits
