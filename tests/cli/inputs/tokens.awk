# a problem of n tokens, t0 to t(n-1), and h heads, whose scores are all 0
BEGIN {
	printf "{\"num_heads\":%d,\"tokens\":[", h
	for (i = 0; i < n; i++)
		printf "%s\"t%d\"", i ? "," : "", i
	printf "],\"embeddings\":["
	for (i = 0; i < n; i++)
		printf "%s[0]", i ? "," : ""
	for (i = 0; i < h; i++)
		zeros = zeros (i ? ",0" : "0")
	printf "],\"W_Q\":[[%s]],\"W_K\":[[%s]]}\n", zeros, zeros
}
