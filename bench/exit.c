/* The yardstick's program: it exits at once. */
int main(void)
{
	return 0;
}
