/* What the start of any program costs: the yardstick of short commands. */
int
main(void)
{
	return 0;
}
