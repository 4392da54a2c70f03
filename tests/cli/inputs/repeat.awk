# b, then n times x with s between, then e
BEGIN {
	printf "%s", b
	for (i = 0; i < n; i++)
		printf "%s%s", i ? s : "", x
	printf "%s", e
}
