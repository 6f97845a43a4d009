# A mail program's quoted-printable: lines end at 76 characters in a lone "=", blanks at an end are "=20".
BEGIN {
	file = "../../../corpus/iperf3/bidir.3.12.txt"
	while ((getline line < file) > 0) {
		gsub(/=/, "=3D", line)
		if (sub(/ $/, "", line))
			line = line "=20"
		for (; length(line) > 76; line = substr(line, 76))
			print substr(line, 1, 75) "="
		print line
	}
}
