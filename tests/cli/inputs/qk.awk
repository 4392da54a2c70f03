# a problem of n tokens whose queries and keys are 64 wide, and whose scores are of both signs
function noise() { seed = (seed * 1103 + 12345) % 65536; return seed / 32768 - 1 }
BEGIN {
	printf "{\"embeddings\":["
	for (i = 0; i < n; i++)
		printf "%s[%.4f,%.4f]", i ? "," : "", noise(), noise()
	printf "],\"weight_layout\":\"in_out\""
	for (k = 0; k < 2; k++) {
		printf ",\"%s\":[", k ? "W_K" : "W_Q"
		for (i = 0; i < 2; i++)
			for (j = 0; j < 64; j++)
				printf "%s%.4f", j ? "," : i ? "],[" : "[", noise()
		printf "]]"
	}
	printf "}\n"
}
