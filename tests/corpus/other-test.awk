# A run as another test would have given it: the same but for its cookie and a byte or so of its first row.
function next_digit(text,  last) {
	last = substr(text, length(text))
	return substr(text, 1, length(text) - 1) (last + 1) % 10
}
{
	gsub(/"cookie":[ \t]*"[^"]*"/, "\"cookie\": \"another\"")
	sub(/Cookie: .*/, "Cookie: another")
	if (!done && match($0, /"bytes":[ \t]*[0-9]+|[0-9.]+ [KMGT]?Bytes/)) {
		found = substr($0, RSTART, RLENGTH)
		unit = found ~ /Bytes$/ ? substr(found, index(found, " ")) : ""
		number = substr(found, 1, length(found) - length(unit))
		$0 = substr($0, 1, RSTART - 1) next_digit(number) unit substr($0, RSTART + RLENGTH)
		done = 1
	}
	print
}
